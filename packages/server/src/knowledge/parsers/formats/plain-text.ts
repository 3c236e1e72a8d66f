import { MAX_SOURCE_TEXT } from '../limits.ts';
import type { AddBlock } from '../passages/block.ts';
import { decodeText, NO_PROPERTIES, type Parser } from './parser.ts';

/** Maximum length of a first line that is a heading. */
const MAX_HEADING = 100;
/** A line that ends like this is part of the text, such as a salutation, or introduces the next paragraph. */
const ENDS_TEXT = /[\p{STerm}\p{Pe}\p{Pf},:;…"']$/u;
/** The first item of a list, a quotation or a row of a table. */
const STARTS_ITEM = /^(?:[-–*+•·>|]|\d+[.)]\s.*\n\s*\d+[.)]\s)/;

/**
 * Splits text into paragraphs at blank lines and preserves other line breaks. A short first line is a heading if a blank line and
 * text follow.
 */
export const parse: Parser = (bytes, add) => {
  addParagraphs(decodeText(bytes, MAX_SOURCE_TEXT).replace(/\r\n?/g, '\n'), add);
  return NO_PROPERTIES;
};

function addParagraphs(given: string, add: AddBlock): void {
  const heading = headingOf(given);
  const text = heading === null ? given : given.trimStart().slice(heading.length);
  if (heading !== null) add({ kind: 'heading', level: 1, text: heading });
  let paragraph = '';
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed + 1;
    const line = text.slice(start, end);
    start = end;
    if (line.trim() !== '') paragraph += line;
    else {
      add({ kind: 'paragraph', text: paragraph });
      paragraph = '';
    }
  }
  add({ kind: 'paragraph', text: paragraph });
}

function headingOf(text: string): string | null {
  const [, line = ''] = /^\s*(\S[^\n]{0,200})\n[^\S\n]*\n\s*\S/.exec(text) ?? [];
  const heading = line.trim();
  const isText =
    heading.length > MAX_HEADING || ENDS_TEXT.test(heading) || STARTS_ITEM.test(text.trimStart());
  return heading === '' || isText || !/\p{L}/u.test(heading) ? null : heading;
}
