import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { mutate } from '../../packages/server/tests/support/mutate.ts';
import type { Seeded } from '../../packages/server/tests/support/seeded.ts';
import { hostileAttributes, hostileEvent } from './hostile.ts';

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/cloudevents-batch+json',
  'application/cloudevents+json; charset="UTF-8"',
  'application/cloudevents+xml',
  'application/vnd.shop+json',
  'text/plain',
  'text/xml; charset=iso-8859-1',
  'image/png',
  'application/json; charset=utf-16',
  'application/json; charset="',
  'multipart/form-data; boundary=x',
  'a/b;;c=d;c=d',
  'xyz',
  ';',
] as const;

const PACKERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { 1: 1 } }),
  zstd: zstdCompressSync,
} as const;
type Coding = keyof typeof PACKERS;
const CODINGS = Object.keys(PACKERS) as readonly Coding[];

/** Returns a valid HTTP request with a random type, headers, encoding and body. */
export function framedRequest(random: Seeded, key: string): Buffer {
  const format = random.below(4);
  const lines = format === 3 || random.next() < 0.1 ? hostileAttributes(random) : [];
  const type = random.next() < 0.85 ? typeOf(format, random) : random.pick(TYPES);
  if (type !== '') lines.push(`Content-Type: ${mangled(type, random)}`);
  const { body, encoding } = packed(bodyOf(format, key, random), random);
  if (encoding !== '') lines.push(`Content-Encoding: ${encoding}`);
  if (random.next() < 0.9) lines.push(`Authorization: Bearer ${key}`);
  if (random.next() < 0.02)
    lines.push('webhook-id: x', 'webhook-timestamp: 1', 'webhook-signature: v1,AA==');
  return framed(lines, body);
}

/** Returns a request whose bytes are mutated, including the HTTP syntax. */
export function brokenRequest(random: Seeded, key: string): Buffer {
  return mutate(framedRequest(random, key), random);
}

function framed(lines: readonly string[], body: Buffer): Buffer {
  const head = ['POST /events HTTP/1.1', 'Host: fuzz', ...lines, `Content-Length: ${body.length}`];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

function typeOf(format: number, random: Seeded): string {
  if (format < 3) return TYPES[format === 0 ? 0 : format + 1] as string;
  return random.pick(['', 'application/json', 'text/plain', 'image/png', 'a/x+json']);
}

/** Sometimes replaces a character of a header. Never inserts a character that would end the header. */
function mangled(header: string, random: Seeded): string {
  if (random.next() < 0.9) return header;
  const at = random.below(header.length);
  return (
    header.slice(0, at) +
    random.pick([' ', ';', '"', '\u00e9', '=', '/', '\t']) +
    header.slice(at + 1)
  );
}

function bodyOf(format: number, key: string, random: Seeded): Buffer {
  const events = Array.from({ length: random.below(4) }, () => hostileEvent(random));
  const list = `[${events.join(',')}]`;
  const auth = random.next() < 0.2 ? `,"auth":{"apiKey":"${random.next() < 0.8 ? key : 'x'}"}` : '';
  const text =
    format === 0
      ? `{"events":${list}${auth}}`
      : format === 1
        ? list
        : format === 2
          ? (events[0] ?? hostileEvent(random))
          : random.pick(['', '{"a":1}', 'text', '\u0000\u0001', '<a/>', '1', '{', '"\\ud800"']);
  const body = Buffer.from(text);
  if (random.next() < 0.02) return randomBytes(random);
  return random.next() < 0.5 ? mutate(body, random) : body;
}

function randomBytes(random: Seeded): Buffer {
  return Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256)));
}

function packed(body: Buffer, random: Seeded): { body: Buffer; encoding: string } {
  if (random.next() < 0.8) return { body, encoding: '' };
  const codings = Array.from({ length: random.below(3) }, () => random.pick(CODINGS));
  let bytes = body;
  for (const coding of codings) bytes = PACKERS[coding](bytes);
  if (random.next() < 0.3) bytes = mutate(bytes, random);
  const said = random.next() < 0.8 ? codings : [random.pick(['gzip', 'zstd', 'lzma', 'br,', '*'])];
  return { body: bytes, encoding: said.join(', ') };
}
