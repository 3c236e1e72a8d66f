import { readFileSync } from 'node:fs';
import type { BuiltWidget } from './built-files.ts';

const TEMPLATE = readFileSync(new URL('./page.html', import.meta.url), 'utf8');
const AT = '/widget/assets';

/**
 * Makes the widget page.
 *
 * @returns the page for a nonce (base64), under which alone its script and styles may run, and for the
 *   origins that may frame it, which its script listens to. Both must be safe inside of an attribute.
 */
export function pageOf({ script, styles }: Pick<BuiltWidget, 'script' | 'styles'>) {
  const links = styles.map(
    (name) => `<link rel="stylesheet" nonce="{nonce}" href="${AT}/${name}">`,
  );
  const template = TEMPLATE.replace('{styles}', links.join('\n')).replace(
    '{script}',
    `${AT}/${script}`,
  );
  return (nonce: string, ancestors: readonly string[]): string =>
    template.replaceAll('{nonce}', nonce).replace('{ancestors}', ancestors.join(' '));
}
