import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { readMultipart } from './multipart.ts';

const BOUNDARY = 'limit-7';

function part(name: string, value: string, more = ''): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
}

const FILE = part('file', 'text', '; filename="a.txt"');
const END = `--${BOUNDARY}--\r\n`;

function read(body: string | Uint8Array, type = `multipart/form-data; boundary=${BOUNDARY}`) {
  return readMultipart(new Uint8Array(Buffer.from(body)), type);
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
  const { file } = await read(`${part('file', text, '; filename="a.txt"')}${END}`);
  assert.equal(Buffer.from(file.bytes).toString(), text);
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
  const { file } = await read(latin1(FILE.replace('text', 'Größe') + END));
  assert.equal(Buffer.from(file.bytes).toString('latin1'), 'Größe');
});
