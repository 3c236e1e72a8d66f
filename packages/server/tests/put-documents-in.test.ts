import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceOfThisFile } from './support/file-service.ts';
import { addDocument, untilRead, whenRead } from './support/knowledge.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from './support/provision.ts';

const { client, bareClient } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const path = `/spaces/${spaceId}/documents`;

const HANDBOOK = '# Travel\n\n## Trains\n\nTake the night train.\n\n## Planes\n\nAvoid planes.\n';

interface Item {
  readonly fileName: string;
  readonly heading: string | null;
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly score: number;
}

async function search(body: object, as = session): Promise<Item[]> {
  const answer = await client(`/spaces/${spaceId}/search`, { as, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json['items'] as Item[];
}

/** Sends a file as a browser or curl would. */
async function upload(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  parts: Readonly<Record<string, string>> = {},
) {
  const form = new FormData();
  form.set('file', new File([content], name));
  for (const [part, value] of Object.entries(parts)) form.set(part, value);
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const contentType = encoded.headers.get('content-type') ?? '';
  return client(path, { as: session, body, headers: { 'content-type': contentType } });
}

test('an editor uploads a file, waits until it is ready, finds its passages and reads it', async () => {
  const sent = await upload('travel.md', HANDBOOK, { metadata: '{"team":"ops"}', language: 'en' });
  assert.equal(sent.status, 201, sent.text);
  assert.equal(sent.json['state'], 'processing');
  const location = sent.headers.get('location') ?? '';
  const document = await whenRead(client, session, location);
  assert.deepEqual(
    { ...document, id: '', createdAt: '', updatedAt: '' },
    {
      id: '',
      spaceId,
      fileName: 'travel.md',
      mimeType: 'text/markdown',
      language: 'en',
      title: 'Travel',
      bytes: Buffer.byteLength(HANDBOOK),
      state: 'ready',
      failure: null,
      passages: 2,
      metadata: { team: 'ops' },
      createdAt: '',
      updatedAt: '',
    },
  );
  const [first] = await search({ query: 'night train' });
  assert.equal(first?.heading, 'Travel › Trains');
  assert.equal(first?.score, 1);
  const marked = first?.highlights.map(([start, end]) => first.snippet.slice(start, end));
  assert.deepEqual(marked, ['night', 'train']);
  const passages = await client(`${location}/passages`, { as: session });
  assert.deepEqual(
    (passages.json['items'] as { text: string }[]).map(({ text }) => text),
    ['Take the night train.', 'Avoid planes.'],
  );
});

test('the original comes back byte for byte, as an attachment that no browser runs', async () => {
  const name = 'Größe "x" 100%.html';
  const html = '<script>alert(1)</script><p>Hello there</p>';
  const sent = await upload(name, html);
  assert.equal(sent.status, 201, sent.text);
  const answer = await client(`${sent.headers.get('location')}/content`, { as: session });
  assert.equal(answer.text, html);
  assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('content-security-policy'), "sandbox; default-src 'none'");
  assert.equal(
    answer.headers.get('content-disposition'),
    `attachment; filename="Gr__e _x_ 100_.html"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%22x%22%20100%25.html`,
  );
});

test('a large original is sent as the client takes it, and HEAD tells its length alone', async () => {
  const large = 'large '.repeat(700_000);
  const { id } = await addDocument(client, session, spaceId, { fileName: 'l.txt', text: large });
  const answer = await client(`${path}/${id}/content`, { as: session });
  assert.equal(answer.text, large);
  const head = await client(`${path}/${id}/content`, { as: session, method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(large.length));
  assert.equal(head.text, '');
});

test('a backend with a key that may write knowledge sends a document as JSON', async () => {
  const key = await makeKey(client, session, spaceId, ['knowledge:write', 'read']);
  const document = { fileName: 'faq', html: '<h1>Hours</h1><p>We open at nine.</p>' };
  assert.equal((await addDocument(client, key, spaceId, document)).state, 'ready');
  assert.equal((await search({ query: 'when do you open' }, key))[0]?.fileName, 'faq');
});

test('the same file again is one document, and its metadata is what came last', async () => {
  const sent = { fileName: 'once.txt', text: 'Only once.', metadata: { team: 'a' } };
  const first = await client(path, { as: session, body: sent });
  const again = await client(path, { as: session, body: { ...sent, metadata: { team: 'b' } } });
  const silent = await client(path, {
    as: session,
    body: { fileName: 'once.txt', text: 'Only once.' },
  });
  assert.deepEqual([first.status, again.status, silent.status], [201, 200, 200]);
  assert.equal(again.json['id'], first.json['id']);
  assert.deepEqual(silent.json['metadata'], { team: 'b' });
  const other = await client(path, { as: session, body: { ...sent, fileName: 'twice.txt' } });
  assert.equal(other.status, 201, 'another name is another document');
});

test('fifty clients that send the same file at once make one document', async () => {
  const body = { fileName: 'rush.txt', text: 'Everybody sends this.' };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => client(path, { as: session, body })),
  );
  assert.equal(new Set(answers.map((answer) => answer.json['id'])).size, 1);
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
});

test('changed metadata holds for the very next search of a link', async () => {
  const document = { fileName: 'secret.txt', text: 'The zebra plan.', metadata: { level: 'open' } };
  const { id } = await addDocument(client, session, spaceId, document);
  const permissionFilter = { level: { eq: 'open' } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const widget = await exchangeLink(client, link.token);
  assert.equal((await search({ query: 'zebra' }, widget)).length, 1);
  const change = { method: 'PATCH', as: session, body: { metadata: { level: 'closed' } } };
  assert.equal((await client(`${path}/${id}`, change)).status, 200);
  assert.deepEqual(await search({ query: 'zebra' }, widget), []);
  assert.equal((await client(`${path}/${id}/content`, { as: widget })).status, 404);
});

test('two who change the same metadata at once leave no trace of what neither wrote last', async () => {
  const { id } = await addDocument(client, session, spaceId, {
    fileName: 'contested.txt',
    text: 'The contested giraffe.',
    metadata: { team: 'start' },
  });
  const teams = Array.from({ length: 20 }, (_, index) => `team${index}`);
  await Promise.all(
    teams.map((team) =>
      client(`${path}/${id}`, { method: 'PATCH', as: session, body: { metadata: { team } } }),
    ),
  );
  const { team } = (await client(`${path}/${id}`, { as: session })).json['metadata'] as {
    team: string;
  };
  for (const one of [...teams, 'start']) {
    const found = await search({ query: 'giraffe', filter: { team: { eq: one } } });
    assert.equal(found.length, one === team ? 1 : 0, one);
  }
});

test('a deleted document is gone from every surface at once', async () => {
  const { id } = await addDocument(client, session, spaceId, {
    fileName: 'gone.txt',
    text: 'The vanishing okapi.',
  });
  assert.equal((await client(`${path}/${id}`, { method: 'DELETE', as: session })).status, 204);
  assert.deepEqual(await search({ query: 'okapi' }), []);
  for (const part of ['', '/content', '/passages'])
    assert.equal((await client(`${path}/${id}${part}`, { as: session })).status, 404);
});

test('a file that cannot be read fails alone, with a reason, and can be sent again', async () => {
  const broken = await upload('broken.pdf', '%PDF-1.7 and nothing more');
  assert.equal(broken.status, 201, broken.text);
  const { state, failure } = await whenRead(client, session, broken.headers.get('location') ?? '');
  assert.equal(state, 'failed');
  assert.match(failure ?? '', /\.$/, 'a sentence');
  const failed = await client(`${path}?state=failed`, { as: session });
  assert.equal((failed.json['items'] as unknown[]).length, 1);
  const again = await upload('broken.pdf', '%PDF-1.7 and nothing more');
  assert.equal(again.status, 200);
  await untilRead(client, session, spaceId);
  const fine = { fileName: 'fine.txt', text: 'All is well.' };
  assert.equal((await addDocument(client, session, spaceId, fine)).state, 'ready');
});

test('a format that cannot be read is refused with those that can', async () => {
  const answer = await upload('film.mp4', new Uint8Array([0, 0, 0, 24, 102, 116, 121, 112]));
  assert.equal(answer.status, 415);
  for (const ending of ['.txt', '.md', '.html', '.csv', '.json', '.pdf', '.docx'])
    assert.ok(answer.text.includes(ending), ending);
});

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

test('sending and deleting the same file at the same time loses neither', async () => {
  const body = { fileName: 'contested-file.txt', text: 'Sent and deleted.' };
  for (let round = 0; round < 10; round += 1) {
    const { id } = await addDocument(client, session, spaceId, body);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => client(path, { as: session, body })),
      client(`${path}/${id}`, { method: 'DELETE', as: session }),
    ]);
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.slice(0, 4).every((status) => status === 200 || status === 201),
      String(statuses),
    );
    assert.equal(statuses[4], 204);
  }
  await untilRead(client, session, spaceId);
});

test('a file over 25 MiB is refused as too large', async () => {
  const answer = await upload('large.txt', new Uint8Array(25 * 1024 * 1024 + 1).fill(97));
  assert.equal(answer.status, 413, answer.text);
});

test('a body that is neither JSON nor multipart is refused with the types that are taken', async () => {
  const headers = { 'content-type': 'application/pdf' };
  const answer = await client(path, { as: session, body: '%PDF-1.7', headers });
  assert.equal(answer.status, 415);
  assert.equal(answer.headers.get('accept'), 'application/json, multipart/form-data');
});

test('uploads that would take too much memory together are told to come again', async () => {
  const large = { fileName: 'large.txt', text: 'large '.repeat(4_000_000) };
  const body = JSON.stringify(large);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => client(path, { as: session, body })),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  assert.deepEqual([...statuses].toSorted(), [200, 201, 503]);
  const refused = answers.find(({ status }) => status === 503);
  assert.ok(Number(refused?.headers.get('retry-after')) > 0);
  const { id } = (answers.find(({ status }) => status === 201)?.json ?? {}) as { id: string };
  await client(`${path}/${id}`, { method: 'DELETE', as: session });
  const small = { fileName: 'small.txt', text: 'After the rush.' };
  assert.equal((await client(path, { as: session, body: small })).status, 201);
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

const searches: readonly (readonly [string, object, RegExp])[] = [
  ['an empty query', { query: '' }, /query: /],
  ['only punctuation', { query: '?!.* ()"' }, /query: must have a letter or a digit/],
  ['10,000 characters', { query: 'a'.repeat(10_000) }, /query: must .*1000/],
  ['no query', {}, /query: is required/],
  ['a limit of 51', { query: 'a', limit: 51 }, /limit: must be at most 50/],
  ['a limit of 0', { query: 'a', limit: 0 }, /limit: must be at least 1/],
  ['a filter that is none', { query: 'a', filter: { team: { near: 1 } } }, /filter\.team\.near: /],
];
for (const [what, body, reason] of searches)
  test(`a search with ${what} is refused with the reason`, async () => {
    const answer = await client(`/spaces/${spaceId}/search`, { as: session, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  });

test("a query full of the engine's own operators is plain text", async () => {
  for (const query of [
    'AND OR NOT',
    'train*',
    'title:train',
    'NEAR(night train)',
    '"night',
    '^train + -plane',
    "'; drop table documents; --",
  ])
    await search({ query });
  assert.ok((await search({ query: 'NEAR(night train, 3) AND "night train"' })).length > 0);
});
