import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDocument, untilDocumentIndexed, untilIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeKey, makeLink } from '../support/provision.ts';

const { client, session, spaceId, path, search, upload } = await knowledgeOfThisFile();

const HANDBOOK = '# Travel\n\n## Trains\n\nTake the night train.\n\n## Planes\n\nAvoid planes.\n';

test('an editor uploads a file, waits until it is ready, and finds and reads its passages', async () => {
  const sent = await upload('travel.md', HANDBOOK, { metadata: '{"team":"ops"}', language: 'en' });
  assert.equal(sent.status, 201, sent.text);
  assert.equal(sent.json['state'], 'processing');
  const location = sent.headers.get('location') ?? '';
  const document = await untilDocumentIndexed(client, session, location);
  assert.deepEqual(
    { ...document, id: '', createdAt: '', updatedAt: '' },
    {
      id: '',
      spaceId,
      key: null,
      fileName: 'travel.md',
      mimeType: 'text/markdown',
      language: 'en',
      title: 'Travel',
      givenTitle: null,
      url: null,
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

test('the original file is returned unchanged, as an attachment that browsers do not run', async () => {
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

test('a large original file is streamed, and a HEAD request returns only its length', async () => {
  const large = 'large '.repeat(700_000);
  const { id } = await addDocument(client, session, spaceId, { fileName: 'l.txt', text: large });
  const answer = await client(`${path}/${id}/content`, { as: session });
  assert.equal(answer.text, large);
  const head = await client(`${path}/${id}/content`, { as: session, method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(large.length));
  assert.equal(head.text, '');
});

test('a key with the scope knowledge:write can upload a document as JSON', async () => {
  const key = await makeKey(client, session, spaceId, ['knowledge:write', 'read']);
  const document = { fileName: 'faq', html: '<h1>Hours</h1><p>We open at nine.</p>' };
  assert.equal((await addDocument(client, key, spaceId, document)).state, 'ready');
  assert.equal((await search({ query: 'when do you open' }, key))[0]?.fileName, 'faq');
});

test('uploading the same file again updates the metadata of the existing document', async () => {
  const sent = { fileName: 'once.txt', text: 'Only once.', metadata: { team: 'a' } };
  const first = await client(path, { as: session, body: sent });
  const second = await client(path, { as: session, body: { ...sent, metadata: { team: 'b' } } });
  const withoutMetadata = await client(path, {
    as: session,
    body: { fileName: 'once.txt', text: 'Only once.' },
  });
  assert.deepEqual([first.status, second.status, withoutMetadata.status], [201, 200, 200]);
  assert.equal(second.json['id'], first.json['id']);
  assert.deepEqual(withoutMetadata.json['metadata'], { team: 'b' });
  const other = await client(path, { as: session, body: { ...sent, fileName: 'twice.txt' } });
  assert.equal(other.status, 201, 'a file with another name is another document');
});

test('uploading the same content in another format extracts the text again and preserves the document ID', async () => {
  const fileName = 'kind';
  const content = '<h1>Quokkas</h1><p>They smile.</p>';
  const metadata = { team: 'zoo' };
  const first = await addDocument(client, session, spaceId, { fileName, text: content, metadata });
  const sent = { as: session, body: { fileName, html: content } };
  assert.equal((await client(path, sent)).status, 200);
  const document = `${path}/${first.id}`;
  await untilDocumentIndexed(client, session, document);
  const { mimeType, title, metadata: kept } = (await client(document, { as: session })).json;
  assert.deepEqual([mimeType, title, kept], ['text/html', 'Quokkas', metadata]);
  const found = await search({ query: 'quokkas smile', filter: { team: { eq: 'zoo' } } });
  assert.deepEqual(
    found.map(({ heading, text }) => [heading, text]),
    [['Quokkas', 'They smile.']],
  );
  assert.equal((await client(`${document}/content`, { as: session })).text, content);
  assert.equal(
    (await client(path, sent)).json['state'],
    'ready',
    'the document is not extracted again',
  );
});

test('fifty concurrent uploads of the same file create one document', async () => {
  const body = { fileName: 'rush.txt', text: 'Everybody sends this.' };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => client(path, { as: session, body })),
  );
  assert.equal(new Set(answers.map((answer) => answer.json['id'])).size, 1);
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
});

test('permission filters of links use changed metadata immediately', async () => {
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

test('after concurrent metadata changes, the document has only the metadata of the last change', async () => {
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

test('a deleted document disappears from every route immediately', async () => {
  const { id } = await addDocument(client, session, spaceId, {
    fileName: 'gone.txt',
    text: 'The vanishing okapi.',
  });
  assert.equal((await client(`${path}/${id}`, { method: 'DELETE', as: session })).status, 204);
  assert.deepEqual(await search({ query: 'okapi' }), []);
  for (const part of ['', '/content', '/passages'])
    assert.equal((await client(`${path}/${id}${part}`, { as: session })).status, 404);
});

test('an invalid file fails with a reason, does not affect other documents and can be uploaded again', async () => {
  const broken = await upload('broken.pdf', '%PDF-1.7 and nothing more');
  assert.equal(broken.status, 201, broken.text);
  const { state, failure } = await untilDocumentIndexed(
    client,
    session,
    broken.headers.get('location') ?? '',
  );
  assert.equal(state, 'failed');
  assert.match(failure ?? '', /\.$/, 'the reason is a sentence');
  const failed = await client(`${path}?state=failed`, { as: session });
  assert.equal((failed.json['items'] as unknown[]).length, 1);
  const second = await upload('broken.pdf', '%PDF-1.7 and nothing more');
  assert.equal(second.status, 200);
  await untilIndexed(client, session, spaceId);
  const fine = { fileName: 'fine.txt', text: 'All is well.' };
  assert.equal((await addDocument(client, session, spaceId, fine)).state, 'ready');
});

test('concurrent uploads and deletions of the same file all succeed', async () => {
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
  await untilIndexed(client, session, spaceId);
});

test('uploads that exceed the memory limit are rejected with Retry-After', async () => {
  const large = { fileName: 'large.txt', text: 'large '.repeat(4_000_000) };
  const body = JSON.stringify(large);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => client(path, { as: session, body })),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  assert.deepEqual([...statuses].toSorted(), [200, 201, 503]);
  const rejected = answers.find(({ status }) => status === 503);
  assert.ok(Number(rejected?.headers.get('retry-after')) > 0);
  const { id } = (answers.find(({ status }) => status === 201)?.json ?? {}) as { id: string };
  await client(`${path}/${id}`, { method: 'DELETE', as: session });
  const small = { fileName: 'small.txt', text: 'After the rush.' };
  assert.equal((await client(path, { as: session, body: small })).status, 201);
});
