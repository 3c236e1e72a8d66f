import assert from 'node:assert/strict';
import { ApiError } from '../../../../packages/contract/src/index.ts';
import {
  DOCUMENT_PARTS,
  readMultipart,
} from '../../../../packages/server/src/knowledge/uploads/multipart.ts';
import type { Target } from '../target.ts';

const TYPE = 'multipart/form-data; boundary=b';
const part = (name: string, more: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const FILE = part('file', '; filename="a.txt"', 'text\r\n--c');
const SIZES = [1, 2, 3, 7, 64];

/** Bodies of uploads with the boundary `b`. Each body is read as a whole and in pieces. */
export const uploads: Target = {
  name: 'uploads',
  sources: ['/knowledge/uploads/multipart'],
  seeds: [
    `${FILE}--b--\r\n`,
    `preamble\r\n${part('metadata', '', '{"a":1}')}${FILE}${part('language', '', 'en')}${part('title', '', 'T')}--b--\r\nepilogue`,
    `${part('file', "; filename*=utf-8''%e2%82%ac.txt", '')}--b--`,
  ],
  words: [
    '--b',
    '\r\n--b\r\n',
    '\r\n--b--',
    '\r\n\r\n',
    '; filename="',
    'Content-Type: text/plain\r\n',
    'name="file"',
    'filename*=',
    '\r',
    '\n',
    '%22',
    '\\"',
    '--',
  ],
  share: 0.04,
  async check(input) {
    const whole = await outcomeOf(input, input.length + 1);
    const size = SIZES[input.length % SIZES.length] ?? 1;
    assert.deepEqual(await outcomeOf(input, size), whole, `in pieces of ${size} bytes`);
  },
};

/** Returns the parts of an upload, or the error for its sender. */
async function outcomeOf(body: Buffer, size: number): Promise<unknown> {
  async function* pieces() {
    // The reader overwrites the pieces.
    for (let at = 0; at < body.length; at += size)
      yield new Uint8Array(body.subarray(at, at + size));
  }
  const content: Buffer[] = [];
  try {
    const writer = {
      write: async (piece: Uint8Array) => void content.push(Buffer.from(piece)),
      finish: async () => ({ content: Buffer.concat(content).toString('latin1') }),
    };
    return await readMultipart(pieces(), TYPE, writer, DOCUMENT_PARTS);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    assert.ok(error.status === 400 || error.status === 413);
    return error.code;
  }
}
