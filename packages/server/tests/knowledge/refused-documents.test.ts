import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knowledgeOfThisFile } from '../support/knowledge-of-this-file.ts';

const { client, bareClient, session, path, upload } = await knowledgeOfThisFile();

const text = 'Some text.';
const refused: readonly (readonly [string, object, RegExp])[] = [
  ['without a name', { text }, /fileName: is required/],
  ['without text', { fileName: 'a.txt' }, /text: exactly one of/],
  ['with two texts', { fileName: 'a.txt', text, html: text }, /text: exactly one of/],
  ['with empty text', { fileName: 'a.txt', text: ' \n' }, /text: must not be empty/],
  ['with a path in its name', { fileName: '../a.txt', text }, /fileName: .* without a path/],
  ['with a Windows path', { fileName: 'C:\\a.txt', text }, /fileName: .* without a path/],
  ['with a control character', { fileName: 'a\u0007.txt', text }, /fileName: .*control/],
  ['with a reversed name', { fileName: 'a\u202Etxt.exe', text }, /fileName: .*direction/],
  ['with an invisible character', { fileName: 'a\u200B.txt', text }, /fileName: .*invisible/],
  ['with a long name', { fileName: 'a'.repeat(256), text }, /fileName: must /],
  ['with a name of spaces', { fileName: '  ', text }, /fileName: must not be empty/],
  ['with a reserved key', { fileName: 'a', text, metadata: { search: 1 } }, /metadata\.search: /],
  ['with a dotted key', { fileName: 'a', text, metadata: { 'a.b': 1 } }, /metadata\.a\.b: .*dot/],
  [
    'with an empty key',
    { fileName: 'a', text, metadata: { x: { '': 1 } } },
    /metadata\.x\..*must not be empty/,
  ],
  [
    'with an array for metadata',
    { fileName: 'a', text, metadata: [] },
    /metadata: must be an object/,
  ],
  [
    'with large metadata',
    { fileName: 'a', text, metadata: { x: 'y'.repeat(70_000) } },
    /metadata: must be at most 65536/,
  ],
  [
    'with no language',
    { fileName: 'a', text, language: 'de_DE' },
    /language: must be a language tag/,
  ],
  ['with an unknown member', { fileName: 'a', text, metdata: {} }, /metdata: .*metadata/],
];
for (const [what, body, reason] of refused)
  test(`a document ${what} is refused with the reason`, async () => {
    const answer = await client(path, { as: session, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  });

test('metadata nested too deeply, and a number that is none, are refused with their place', async () => {
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
  for (const [metadata, reason] of [
    [deep, /nested deeper than 32/],
    ['{"price":1e999}', /metadata\.price: is too large a number/],
  ] as const) {
    const body = `{"fileName":"a.txt","text":"x","metadata":${metadata}}`;
    const answer = await client(path, { as: session, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  }
});

test('a malformed or wrong multipart body says what is wrong with it', async () => {
  const type = 'multipart/form-data; boundary=limit-7';
  const part = (name: string, file: string, value: string) =>
    `--limit-7\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  const file = part('file', '; filename="a.txt"', text);
  for (const [body, reason] of [
    ['', /malformed-multipart/],
    ['nothing of the kind', /malformed-multipart/],
    [`${part('metadata', '', '{}')}--limit-7--\r\n`, /file: is required/],
    [`${part('file', '', text)}--limit-7--\r\n`, /file: must have a file name/],
    [`${file}${file}--limit-7--\r\n`, /file: is given twice/],
    [`${file}${part('permissions', '', '{}')}--limit-7--\r\n`, /permissions.*unknown part/],
    [
      `${file}${part('metadata', '', '{"a":')}--limit-7--\r\n`,
      /"metadata: is not valid JSON: it ends/,
    ],
    [`${part('file', '; filename="a.pdf"', text)}--limit-7--\r\n`, /file: .*\.pdf/],
    [`${part('file', '; filename="a.txt"', '')}--limit-7--\r\n`, /empty/],
  ] as const) {
    const answer = await client(path, {
      method: 'POST',
      as: session,
      body: body === '' ? Buffer.from('\r\n') : body,
      headers: { 'content-type': type },
    });
    assert.equal(answer.status, 400, `${body}\n${answer.text}`);
    assert.match(answer.text, reason);
  }
});

test('metadata in a part is read as strictly as a body, and its problems stand beside the others', async () => {
  for (const [metadata, problem] of [
    ['{"team":"a","team":"b"}', 'metadata.team: is given twice'],
    ['', 'metadata: is not valid JSON: it ends too early at line 1, column 1'],
    ['['.repeat(101), 'metadata: is nested deeper than 100 levels'],
    [`"${'x'.repeat(600_000)}"`, 'metadata: must be at most 65536 bytes of JSON'],
  ] as const) {
    const answer = await upload('a.txt', text, { metadata, language: 'de_DE' });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.json['code'], 'knowledge.invalid');
    assert.deepEqual(answer.json['issues'], [
      { message: problem },
      { message: 'language: must be a language tag such as de or pt-BR' },
    ]);
  }
});

test('a format that cannot be read is refused with those that can', async () => {
  const answer = await upload('film.mp4', new Uint8Array([0, 0, 0, 24, 102, 116, 121, 112]));
  assert.equal(answer.status, 415);
  for (const ending of ['.txt', '.md', '.html', '.csv', '.json', '.pdf', '.docx'])
    assert.ok(answer.text.includes(ending), ending);
});

test('a body that is neither JSON nor multipart is refused with the types that are taken', async () => {
  const headers = { 'content-type': 'application/pdf' };
  const answer = await client(path, { as: session, body: '%PDF-1.7', headers });
  assert.equal(answer.status, 415);
  assert.equal(answer.headers.get('accept'), 'application/json, multipart/form-data');
});

test('a file over 25 MiB is refused as too large', async () => {
  const answer = await upload('large.txt', new Uint8Array(25 * 1024 * 1024 + 1).fill(97));
  assert.equal(answer.status, 413, answer.text);
});

test('other routes take no multipart', async () => {
  const answer = await bareClient('/assistant-link', {
    method: 'POST',
    as: session,
    body: 'x',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  assert.equal(answer.status, 415);
});
