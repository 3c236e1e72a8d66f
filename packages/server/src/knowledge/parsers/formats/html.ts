import type { Sink } from '../passages/block.ts';
import { decodeText } from './decode-text.ts';
import { readHtml } from './html/read-html.ts';
import type { Parser } from './parser.ts';

export const read: Parser = (bytes, add: Sink) => readHtml(decodeText(bytes), add);
