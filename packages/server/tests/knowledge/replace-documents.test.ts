import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { newSynchronisedSpace } from '../support/knowledge/synchronised-space.ts';
import { exchangeLink, makeLink } from '../support/provision.ts';

const { client, bareClient, session, spaceId, path, search, upload } = await knowledgeOfThisFile({
  env: { GATEHOUSE_RATE_LIMIT_READS_LINK: '0' },
});

const pathOf = (key: string, documents = path) => `${documents}/by-key/${encodeURIComponent(key)}`;
const put = (key: string, body: object, documents = path) =>
  client(pathOf(key, documents), { method: 'PUT', as: session, body });
const untilReady = (id: unknown) => untilDocumentIndexed(client, session, `${path}/${id}`);

test('the first request with a key creates a document, and the next replaces it', async () => {
  const first = await put('returns', {
    fileName: 'returns.md',
    markdown: '# Returns\n\nThe axolotl returns.',
    url: 'https://wiki.example/returns',
    metadata: { team: 'a' },
  });
  assert.equal(first.status, 201, first.text);
  const { id } = first.json;
  assert.equal(first.headers.get('location'), `${path}/${id}`);
  assert.equal(first.json['key'], 'returns');
  await untilReady(id);
  const second = await put('returns', { fileName: 'again.txt', text: 'The axolotl swims.' });
  assert.equal(second.status, 200, second.text);
  await untilReady(id);
  const { key, fileName, title, url, metadata, state } = (
    await client(`${path}/${id}`, { as: session })
  ).json;
  assert.deepEqual(
    [key, fileName, title, url, metadata, state],
    ['returns', 'again.txt', 'again.txt', null, {}, 'ready'],
  );
  const texts = (await search({ query: 'axolotl' })).map(({ text }) => text);
  assert.deepEqual(texts, ['The axolotl swims.']);
});

test('a key may contain any characters, and different keys are different documents', async () => {
  const keys = [
    'a/b',
    'a%2Fb',
    'a//b',
    '../c',
    'C:\\d',
    'ä€😀',
    'e\u0301',
    'é',
    ' ',
    'A',
    'a',
    '?#',
    '...',
  ];
  keys.push('😀'.repeat(512));
  const ids = new Set();
  for (const key of keys) {
    const answer = await put(key, { fileName: 'key.txt', text: 'The same text.' });
    assert.equal(answer.status, 201, `${key}\n${answer.text}`);
    assert.equal(answer.json['key'], key);
    ids.add(answer.json['id']);
  }
  assert.equal(ids.size, keys.length);
  const again = await put('a/b', { fileName: 'key.txt', text: 'The same text.' });
  assert.equal(again.status, 200);
});

test('an empty, too long or malformed key is rejected', async () => {
  const body = { fileName: 'key.txt', text: 'Text.' };
  for (const [key, status] of [
    ['', 400],
    ['a'.repeat(513), 400],
    ['%00', 400],
    ['%ED%A0%80', 400],
    ['%', 400],
    ['a/b', 404],
  ] as const) {
    const sent = { method: 'PUT', as: session, body };
    const answer = await bareClient(`${path}/by-key/${key}`, sent);
    assert.equal(answer.status, status, `${key}\n${answer.text}`);
  }
});

test('keys, subjects of events and uploads of the same file are independent documents', async () => {
  const space = await newSynchronisedSpace(client, session);
  const body = { fileName: 'same.txt', text: 'The same okapi.' };
  const uploaded = await client(space.path, { as: session, body });
  const keyed = await put('same', body, space.path);
  const other = await put('other', body, space.path);
  assert.deepEqual([uploaded.status, keyed.status, other.status], [201, 201, 201]);
  const [event] = await space.sendChanges({ subject: 'same', data: body });
  const again = await client(space.path, { as: session, body });
  assert.equal(again.json['id'], uploaded.json['id'], 'an upload finds only uploads');
  const ids = [uploaded, keyed, other].map(({ json }) => json['id']);
  assert.equal(new Set([...ids, event?.documentId]).size, 4);
  await space.sendChanges({ subject: 'same' });
  assert.equal((await space.documents()).length, 3);
  const taken = await space.sendChanges({
    subject: 'taken',
    data: { ...body, documentId: keyed.json['id'] },
  });
  assert.equal(taken[0]?.failure?.code, 'knowledge.other-key');
});

test('a replacement as multipart is checked as strictly as an upload', async () => {
  const form = new FormData();
  form.set('file', new File(['Text.'], 'a.txt'));
  form.set('url', 'wiki');
  const encoded = new Response(form);
  const sent = {
    method: 'PUT',
    as: session,
    body: new Uint8Array(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  };
  const answer = await client(pathOf('form'), sent);
  assert.equal(answer.status, 400);
  assert.match(answer.text, /url: must be an absolute URL/);
  assert.equal((await upload('unknown.bin', 'x')).status, 415);
});

test('while a document is replaced, every search finds exactly one version, and never an older one than before', async () => {
  const versions = 12;
  const bodyOf = (version: number) => ({
    fileName: 'pangolin.txt',
    text: `The pangolin, edition ${version}.`,
    metadata: { edition: version },
  });
  const { id } = (await put('pangolin', bodyOf(0))).json;
  await untilReady(id);
  const link = await makeLink(client, session, { spaceId });
  const widget = await exchangeLink(client, link.token);
  let isDone = false;
  const searching = (async () => {
    let last = 0;
    let searches = 0;
    while (!isDone) {
      const found = await search({ query: 'pangolin edition' }, widget);
      assert.equal(found.length, 1, JSON.stringify(found));
      const version = Number(/\d+/.exec(found[0]?.text ?? '')?.[0]);
      assert.ok(version >= last, `${version} after ${last}`);
      last = version;
      searches += 1;
    }
    return { last, searches };
  })();
  for (let version = 1; version <= versions; version += 1) {
    assert.equal((await put('pangolin', bodyOf(version))).status, 200);
    if (version % 3 === 0) await untilReady(id);
  }
  await untilReady(id);
  const [found] = await search({ query: 'pangolin edition' });
  assert.equal(found?.text, `The pangolin, edition ${versions}.`);
  isDone = true;
  const { searches } = await searching;
  assert.ok(searches > 5, String(searches));
});

test('searches and downloads apply narrower permissions of a replacement as soon as the response arrives', async () => {
  const document = { fileName: 'plan.txt', text: 'The numbat plan.', metadata: { level: 'open' } };
  const { id } = (await put('plan', document)).json;
  await untilReady(id);
  const permissionFilter = { level: { eq: 'open' } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const widget = await exchangeLink(client, link.token);
  assert.equal((await search({ query: 'numbat' }, widget)).length, 1);
  const narrowed = { ...document, text: 'The numbat secret.', metadata: { level: 'closed' } };
  assert.equal((await put('plan', narrowed)).status, 200);
  assert.deepEqual(await search({ query: 'numbat' }, widget), []);
  assert.equal((await client(`${path}/${id}/content`, { as: widget })).status, 404);
  await untilReady(id);
  assert.deepEqual(await search({ query: 'numbat' }, widget), []);
});
