import { type Html, html, join } from './reference-html.ts';

/** One token of JSON text as `JSON.stringify` writes it: a string, a number or a word. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/g;

/** A value as indented JSON, its names, strings and other values told apart by colour. */
export function colouredJson(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    if (string === undefined) parts.push(html`<i class="v">${whole}</i>`);
    else if (colon === undefined) parts.push(html`<i class="s">${string}</i>`);
    else parts.push(html`<i class="n">${string}</i>${colon}`);
    end = match.index + whole.length;
  }
  parts.push(html`${text.slice(end)}`);
  return join(parts);
}
