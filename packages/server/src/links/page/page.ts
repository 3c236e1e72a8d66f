import { readFileSync } from 'node:fs';
import type { BuiltWidget } from './built-files.ts';

const TEMPLATE = readFileSync(new URL('./page.html', import.meta.url), 'utf8');
const AT = '/widget/assets';

type Names = Pick<BuiltWidget, 'script' | 'imports' | 'styles'>;

/**
 * Makes the widget page.
 *
 * @returns the page for a nonce (base64), under which alone its script and styles may run, and for the
 *   origins that may frame it, which its script listens to. Both must be safe inside of an attribute.
 */
export function pageOf({ script, imports, styles }: Names) {
  const links = [
    ...styles.map((name) => `<link rel="stylesheet" nonce="{nonce}" href="${AT}/${name}">`),
    ...imports.map(
      (name) => `<link rel="modulepreload" nonce="{nonce}" href="${AT}/${name}" crossorigin>`,
    ),
  ];
  const template = TEMPLATE.replace('{links}', links.join('\n')).replace(
    '{script}',
    `${AT}/${script}`,
  );
  return (nonce: string, ancestors: readonly string[]): string =>
    template.replaceAll('{nonce}', nonce).replace('{ancestors}', ancestors.join(' '));
}
