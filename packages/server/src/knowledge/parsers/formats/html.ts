import type { Sink } from '../passages/block.ts';
import { decodeText } from './decode-text.ts';
import { readHtml } from './html/read-html.ts';
import type { Reader } from './reader.ts';

export const read: Reader = (bytes, add: Sink) => readHtml(decodeText(bytes), add);
