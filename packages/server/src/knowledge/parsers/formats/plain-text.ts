import type { Sink } from '../passages/block.ts';
import { decodeText } from './decode-text.ts';
import { NO_FACTS, type Parser } from './parser.ts';

/** Empty lines part the paragraphs; other line breaks are kept, since nobody knows what they mean. */
export const read: Parser = (bytes, add) => {
  readParagraphs(decodeText(bytes).replace(/\r\n?/g, '\n'), add);
  return NO_FACTS;
};

function readParagraphs(text: string, add: Sink): void {
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
