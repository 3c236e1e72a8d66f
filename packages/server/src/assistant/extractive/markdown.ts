/** What would make something else of a text than a text: code, emphasis, links, images, elements, entities. */
const ANYWHERE = /[\\`*[\]<>~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What would begin a heading, a list or a rule. */
const AT_START = /^(?:[#+=-]|\d{1,9}(?=[.)]))/;

/** A line of text as Markdown that shows it letter by letter. */
export function asMarkdown(line: string): string {
  const escaped = line.replace(ANYWHERE, '\\$&');
  return escaped.replace(AT_START, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}
