import { MAX_SOURCE_TEXT } from '../limits.ts';
import type { AddBlock } from '../passages/block.ts';
import { decodeText, NO_PROPERTIES, type Parser } from './parser.ts';

/** Splits text into paragraphs at blank lines and preserves other line breaks. */
export const parse: Parser = (bytes, add) => {
  addParagraphs(decodeText(bytes, MAX_SOURCE_TEXT).replace(/\r\n?/g, '\n'), add);
  return NO_PROPERTIES;
};

function addParagraphs(text: string, add: AddBlock): void {
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
