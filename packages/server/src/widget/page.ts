import { readFileSync } from 'node:fs';

const read = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');

const NONCE = '{nonce}';
const parts = read('page.html')
  .replace('/* style */', () => read('page.css'))
  .replace('/* script */', () => read('page.js'))
  .split(NONCE);

/** The widget page. It holds its style and script, which may run by this nonce alone (base64). */
export function pageHtml(nonce: string): string {
  return parts.join(nonce);
}
