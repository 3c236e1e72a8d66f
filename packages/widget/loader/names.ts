import { nameHint } from '@gatehouse/contract/nearest-name';

const COMMANDS = [
  'open',
  'close',
  'toggle',
  'ask',
  'setTheme',
  'registerTool',
  'on',
  'updateContext',
  'init',
  'destroy',
];

/**
 * Warns about the name of a command that `push` does not know, or about the unknown members of options. A script tag can
 * have `data-*` attributes of other programs, so its attributes cause a warning only if they resemble an option.
 */
export function warn(mistake: unknown, options: readonly string[]): void {
  if (typeof mistake !== 'object' || mistake === null) {
    console.warn(`Gatehouse: unknown command ${mistake}${nameHint(String(mistake), COMMANDS)}`);
    return;
  }
  const isScriptTag = mistake instanceof DOMStringMap;
  const prefix = isScriptTag ? 'data-' : '';
  for (const name of Object.keys(mistake).filter((option) => !options.includes(option))) {
    const hint = nameHint(name, options, prefix);
    if (hint !== '' || !isScriptTag) console.warn(`Gatehouse: unknown option ${name}${hint}`);
  }
}
