import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { traitsOf } from './file-traits.ts';
import { DOCUMENT_PARTS, readMultipart } from './multipart.ts';

const BOUNDARY = 'limit-7';

function part(name: string, value: string, more = ''): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
}

const FILE = part('file', 'text', '; filename="a.txt"');
const END = `--${BOUNDARY}--\r\n`;

/** Parses a body that arrives in chunks of the given size, and returns its parts and the content of its file. */
async function read(
  body: string | Uint8Array,
  type = `multipart/form-data; boundary=${BOUNDARY}`,
  chunkBytes = 65_536,
) {
  const bytes = Buffer.from(body);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  let content = Buffer.alloc(0);
  const writer = {
    async write(chunk: Uint8Array) {
      content = Buffer.concat([content, chunk]);
    },
    finish: async () => ({ content, traits: traitsOf(content) }),
  };
  const parts = await readMultipart(chunks(), type, writer, DOCUMENT_PARTS);
  return { ...parts, content };
}

async function rejection(...sent: Parameters<typeof read>): Promise<ApiError> {
  const error = await read(...sent).then(
    () => assert.fail('the body was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.status, 400);
  return error;
}

test('the bodies of common clients are parsed, with any form of boundary', async () => {
  for (const boundary of [
    '----WebKitFormBoundary7MA4YWxkTrZu0gW',
    '------------------------d74496d66958873e',
    '----formdata-undici-012345678901',
    'Boundary_1_1234567890_1',
    '===============1234567890==',
  ])
    for (const type of [
      `multipart/form-data; boundary=${boundary}`,
      `multipart/form-data; boundary="${boundary}"`,
      `Multipart/Form-Data;charset=utf-8; Boundary=${boundary}`,
    ]) {
      const body = `${FILE}${part('metadata', '{}')}${END}`.replaceAll(BOUNDARY, boundary);
      const { file, metadata } = await read(body, type);
      assert.deepEqual([file.name, metadata], ['a.txt', '{}'], type);
    }
});

test('the content of a file is not mistaken for parts or headers', async () => {
  const text = `${'\r\n--limit\r\n\r\n'.repeat(1000)}${'x'.repeat(100_000)}\r\n-limit-`;
  const { content } = await read(`${part('file', text, '; filename="a.txt"')}${END}`);
  assert.equal(content.toString(), text);
});

test('the result does not depend on the chunks in which a body arrives', async () => {
  const text = `a\r\n--limit-\r\n\r\n-limit-7\r\n${'x'.repeat(300)}\r\n--limit-`;
  const file = part('file', text, '; filename="a.txt"');
  const bodies = [
    `${part('language', 'en')}${file}${part('metadata', '{"a":1}')}${END}`,
    `preamble\r\n${file}${END}epilogue`,
    `${part('file', '', '; filename="a.txt"')}${END}`,
  ];
  for (const body of bodies) {
    const outcome = (chunkBytes: number) =>
      read(body, undefined, chunkBytes).catch((error: unknown) => String(error));
    const whole = await outcome(body.length);
    for (let chunkBytes = 1; chunkBytes < 80; chunkBytes++)
      assert.deepEqual(await outcome(chunkBytes), whole, `${chunkBytes} bytes per chunk`);
  }
  const { content, language, metadata } = await read(bodies[0] ?? '', undefined, 7);
  assert.deepEqual([content.toString(), language, metadata], [text, 'en', '{"a":1}']);
});

test('a body that ends inside the file is rejected', async () => {
  const body = FILE + END;
  const file = body.indexOf('text');
  for (let end = file; end < body.length - '--\r\n'.length; end++)
    assert.equal((await rejection(body.slice(0, end))).code, 'knowledge.malformed-multipart');
});

test('parts without a file name are limited in size', async () => {
  const { message } = await rejection(part('metadata', 'x'.repeat(2 ** 20)) + FILE + END);
  assert.match(message, /at most 1048576 bytes/);
});

test('a multipart body with too many parts or too long headers is rejected before it is parsed', async () => {
  const long = `; note="${'x'.repeat(10_000)}"`;
  for (const body of [
    part('metadata', '').repeat(100) + FILE + END,
    FILE + part('metadata', '{}', long) + END,
    FILE + part('metadata', '{}', long),
    `${FILE}--${BOUNDARY}\r\nContent-Disposition: form-data${long}`,
  ])
    assert.equal((await rejection(body)).code, 'knowledge.malformed-multipart');
});

test('a multipart body with an ambiguous boundary is rejected', async () => {
  for (const parameters of [
    '',
    '; boundary=',
    '; boundary=a; boundary=limit-7',
    '; x="; boundary=a"; boundary=limit-7',
    '; boundary="limit\\-7"',
    `; boundary=${'x'.repeat(71)}`,
  ]) {
    const { code } = await rejection(FILE + END, `multipart/form-data${parameters}`);
    assert.equal(code, 'knowledge.malformed-multipart', parameters);
  }
});

test('names and text parts must be UTF-8, but a file can have any content', async () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const name = FILE.replace('a.txt', 'Größe.txt');
  const { issues } = await rejection(
    latin1(name + part('metadata', '{"team":"Käufer"}') + part('language', 'ü') + END),
  );
  assert.deepEqual(
    issues?.map(({ message }) => message),
    ['file: must have a name in UTF-8', 'metadata: must be in UTF-8', 'language: must be in UTF-8'],
  );
  const { content } = await read(latin1(FILE.replace('text', 'Größe') + END));
  assert.equal(content.toString('latin1'), 'Größe');
});
