import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';

const { client, bareClient, session, spaceId, path, upload } = await knowledgeOfThisFile();

const text = 'Some text.';
const invalidDocuments: readonly (readonly [string, object, RegExp])[] = [
  ['without a name', { text }, /fileName: is required/],
  ['without text', { fileName: 'a.txt' }, /text: exactly one of/],
  ['with two texts', { fileName: 'a.txt', text, html: text }, /text: exactly one of/],
  ['with empty text', { fileName: 'a.txt', text: ' \n' }, /text: must not be empty/],
  ['with a path in its name', { fileName: '../a.txt', text }, /fileName: .* without a path/],
  ['with a Windows path', { fileName: 'C:\\a.txt', text }, /fileName: .* without a path/],
  [
    'with a control character in its name',
    { fileName: 'a\u0007.txt', text },
    /fileName: .*control/,
  ],
  [
    'with a direction control in its name',
    { fileName: 'a\u202Etxt.exe', text },
    /fileName: .*direction/,
  ],
  [
    'with an invisible character in its name',
    { fileName: 'a\u200B.txt', text },
    /fileName: .*invisible/,
  ],
  ['with a long name', { fileName: 'a'.repeat(256), text }, /fileName: must /],
  ['with a blank name', { fileName: '  ', text }, /fileName: must not be empty/],
  [
    'with a reserved metadata key',
    { fileName: 'a', text, metadata: { search: 1 } },
    /metadata\.search: /,
  ],
  [
    'with a dot in a metadata key',
    { fileName: 'a', text, metadata: { 'a.b': 1 } },
    /metadata\.a\.b: .*dot/,
  ],
  [
    'with an empty metadata key',
    { fileName: 'a', text, metadata: { x: { '': 1 } } },
    /metadata\.x\..*must not be empty/,
  ],
  [
    'with an array as metadata',
    { fileName: 'a', text, metadata: [] },
    /metadata: must be an object/,
  ],
  [
    'with large metadata',
    { fileName: 'a', text, metadata: { x: 'y'.repeat(70_000) } },
    /metadata: must be at most 65536/,
  ],
  [
    'with an invalid language',
    { fileName: 'a', text, language: 'de_DE' },
    /language: must be a language tag/,
  ],
  [
    'with a blank title',
    { fileName: 'a', text, title: ' \u200B\n' },
    /title: must contain a visible/,
  ],
  [
    'with a long title',
    { fileName: 'a', text, title: 'a'.repeat(501) },
    /title: must have at most 500/,
  ],
  ['with a relative URL', { fileName: 'a', text, url: '/a' }, /url: must be an absolute URL/],
  [
    'with a URL of another scheme',
    { fileName: 'a', text, url: 'javascript:alert(1)' },
    /url: must be an absolute URL/,
  ],
  [
    'with a URL without a host',
    { fileName: 'a', text, url: 'https://' },
    /url: must be an absolute URL/,
  ],
  [
    'with white space in its URL',
    { fileName: 'a', text, url: 'https://a.example/ b' },
    /url: must be an absolute URL/,
  ],
  [
    'with a password in its URL',
    { fileName: 'a', text, url: 'https://ada:secret@a.example/' },
    /url: must not contain a user name/,
  ],
  [
    'with a long URL',
    { fileName: 'a', text, url: `https://a.example/${'a'.repeat(1983)}` },
    /url: must have at most 2000/,
  ],
  ['with an unknown member', { fileName: 'a', text, metdata: {} }, /metdata: .*metadata/],
];
for (const [what, body, reason] of invalidDocuments)
  test(`a document ${what} is rejected with a reason`, async () => {
    const answer = await client(path, { as: session, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  });

test('metadata that is nested too deeply or contains an infinite number is rejected with the path of the problem', async () => {
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
  for (const [metadata, reason] of [
    [deep, /nested deeper than 32/],
    ['{"price":1e999}', /metadata\.price: must be a number within the range of an IEEE 754 double/],
  ] as const) {
    const body = `{"fileName":"a.txt","text":"x","metadata":${metadata}}`;
    const answer = await client(path, { as: session, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  }
});

test('a malformed or invalid multipart body is rejected with a reason', async () => {
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

test('metadata in a multipart body is parsed strictly, and its problems are reported with all others', async () => {
  for (const [metadata, problem] of [
    ['{"team":"a","team":"b"}', 'metadata.team: is given twice'],
    ['', 'metadata: is not valid JSON: it ends too early at line 1, column 1'],
    ['['.repeat(101), 'metadata: is nested deeper than 100 levels'],
    [`"${'x'.repeat(600_000)}"`, 'metadata: must be at most 65536 bytes of JSON'],
  ] as const) {
    const answer = await upload('a.txt', text, { metadata, language: 'de_DE', url: 'a' });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.json['code'], 'knowledge.invalid');
    assert.deepEqual(answer.json['issues'], [
      { message: problem },
      { message: 'language: must be a language tag such as de or pt-BR' },
      { message: 'url: must be an absolute URL that starts with https:// or http://' },
    ]);
  }
});

const everyProblem: readonly (readonly [string, string, string, object, readonly string[]])[] = [
  [
    'a document',
    'POST',
    '/documents',
    { text: ' ', html: 1, language: 'de_DE', title: '\u200B', url: 'a', metadata: { 'a.b': 1 } },
    [
      'fileName: is required',
      'html: must be a string',
      'text: exactly one of text, html and markdown is required; send other formats as a file, or in an event as contentBase64',
      'text: must not be empty',
      'language: must be a language tag such as de or pt-BR',
      'title: must contain a visible character',
      'url: must be an absolute URL that starts with https:// or http://',
      'metadata.a.b: a name must not contain a dot, because filters use dots as path separators',
    ],
  ],
  [
    'a change of a document',
    'PATCH',
    `/documents/${randomUUID()}`,
    { title: 1, url: 'a', metadata: [] },
    [
      'title: must be a string or null',
      'metadata: must be an object',
      'url: must be an absolute URL that starts with https:// or http://',
    ],
  ],
  [
    'a change of several documents',
    'PATCH',
    '/documents',
    { ids: [], metadata: { search: 1 } },
    [
      'ids: must have at least 1 item',
      'metadata.search: is a reserved name of the filter language; use a different name',
    ],
  ],
  [
    'a crawl',
    'POST',
    '/crawls',
    { startUrl: 'ftp://a.example', include: ['a', 1], defaultMetadata: { 'a.b': 1 }, maxPages: 0 },
    [
      'name: is required',
      'maxPages: must be at least 1',
      'include[1]: must be a string',
      'startUrl: must be an absolute http:// or https:// URL without credentials, of at most 900 characters',
      'defaultMetadata.a.b: a name must not contain a dot, because filters use dots as path separators',
      'include[0]: must start with / or *',
    ],
  ],
  [
    'a search',
    'POST',
    '/search',
    { query: '?', limit: 0, filter: { and: 1 } },
    [
      'limit: must be at least 1',
      'query: must contain a letter or a digit',
      'filter.and: must be an array of filters, not a number',
    ],
  ],
];
for (const [what, method, route, body, problems] of everyProblem)
  test(`${what} with several problems gets one error that lists all of them`, async () => {
    const answer = await client(`/spaces/${spaceId}${route}`, { method, as: session, body });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(
      answer.json['issues'],
      problems.map((message) => ({ message })),
    );
  });

test('a document in an unknown format is rejected, and the error lists the supported formats', async () => {
  const answer = await upload('film.mp4', new Uint8Array([0, 0, 0, 24, 102, 116, 121, 112]));
  assert.equal(answer.status, 415);
  for (const ending of ['.txt', '.md', '.html', '.csv', '.json', '.pdf', '.docx'])
    assert.ok(answer.text.includes(ending), ending);
});

test('a body that is neither JSON nor multipart is rejected, and the error lists the accepted types', async () => {
  const headers = { 'content-type': 'application/pdf' };
  const answer = await client(path, { as: session, body: '%PDF-1.7', headers });
  assert.equal(answer.status, 415);
  assert.equal(answer.headers.get('accept'), 'application/json, multipart/form-data');
});

test('a file over 25 MiB is rejected as too large', async () => {
  const answer = await upload('large.txt', new Uint8Array(25 * 1024 * 1024 + 1).fill(97));
  assert.equal(answer.status, 413, answer.text);
});

test('all other routes reject multipart bodies', async () => {
  const answer = await bareClient('/assistant-link', {
    method: 'POST',
    as: session,
    body: 'x',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  assert.equal(answer.status, 415);
});
