/** Text that is already HTML. Only `html` makes it, so whatever else goes into a page is escaped. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | readonly Html[];

/** A template of HTML: strings and numbers put into it are escaped, `Html` is taken as it is. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const texts = parts.map(textOf);
  return { html: String.raw({ raw: literals }, ...texts) };
}

/** Nothing, where a part of a page is left out. */
export const NOTHING: Html = { html: '' };

/** Text whose `code` stands between backticks, in one line. */
export function prose(text: string): Html {
  const pieces = text.split('`');
  return join(
    pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`)),
  );
}

export function join(parts: readonly Html[], between = ''): Html {
  return { html: parts.map((part) => part.html).join(between) };
}

function textOf(part: Part): string {
  if (typeof part === 'string') return escaped(part);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : join(part).html;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
