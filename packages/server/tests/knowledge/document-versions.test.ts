import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendDocumentEvents, untilHandled } from '../support/knowledge/document-events.ts';
import { untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeLink, makeSpace } from '../support/provision.ts';

const { client, session, spaceId, path, search } = await knowledgeOfThisFile();

interface Version {
  readonly version: number;
  readonly isCurrent: boolean;
  readonly fileName: string;
  readonly title: string;
  readonly metadata: object;
}

async function put(key: string, text: string, more: object = {}) {
  const body = { fileName: 'page.txt', text, ...more };
  const answer = await client(`${path}/by-key/${key}`, { method: 'PUT', as: session, body });
  assert.ok(answer.status < 300, answer.text);
  const id = String(answer.json['id']);
  await untilDocumentIndexed(client, session, `${path}/${id}`);
  return id;
}

async function versionsOf(id: string): Promise<Version[]> {
  const answer = await client(`${path}/${id}/versions`, { as: session });
  assert.equal(answer.status, 200, answer.text);
  return answer.json['items'] as Version[];
}

const restore = (id: string, version: number, body?: object) =>
  client(`${path}/${id}/versions/${version}/restore`, { method: 'POST', as: session, body });

async function textOf(id: string, version: number) {
  const answer = await client(`${path}/${id}/versions/${version}/content`, { as: session });
  return answer.status === 200 ? answer.text : answer.status;
}

const found = async (query: string, as = session) =>
  (await search({ query }, as)).map(({ text }) => text);

test('replaced and changed documents keep their last ten versions, and each can be downloaded', async () => {
  const id = await put('ten', 'Quokka 1.');
  for (let n = 2; n <= 11; n += 1) await put('ten', `Quokka ${n}.`);
  const body = { title: 'Quokkas' };
  await client(`${path}/${id}`, { method: 'PATCH', as: session, body });
  await client(`${path}/${id}`, { method: 'PATCH', as: session, body });
  const versions = await versionsOf(id);
  assert.deepEqual(
    versions.map(({ version, isCurrent }) => [version, isCurrent]),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((version) => [version, version === 12]),
  );
  assert.deepEqual([versions[0]?.title, versions[1]?.title], ['Quokkas', 'page.txt']);
  assert.deepEqual(
    [await textOf(id, 12), await textOf(id, 11), await textOf(id, 3), await textOf(id, 2)],
    ['Quokka 11.', 'Quokka 11.', 'Quokka 3.', 404],
  );
});

test('a restored version becomes the newest version, and the replaced version remains', async () => {
  const id = await put('restore', 'The numbat is old.');
  await put('restore', 'The numbat is new.', { title: 'New' });
  const answer = await restore(id, 1);
  assert.equal(answer.status, 200, answer.text);
  await untilDocumentIndexed(client, session, `${path}/${id}`);
  assert.deepEqual(await found('numbat'), ['The numbat is old.']);
  assert.deepEqual(
    (await versionsOf(id)).map(({ version, title }) => [version, title]),
    [
      [3, 'page.txt'],
      [2, 'New'],
      [1, 'page.txt'],
    ],
  );
  assert.equal((await restore(id, 3, {})).status, 200);
  assert.equal((await versionsOf(id)).length, 3, 'restoring the newest version changes nothing');
  assert.equal((await restore(id, 4)).json['code'], 'knowledge.no-version');
});

test('restoring a version with other metadata requires a choice, and keeps the current metadata if told so', async () => {
  const id = await put('choice', 'The bilby is secret.', { metadata: { team: 'staff' } });
  await put('choice', 'The bilby is known.', { metadata: { team: 'everyone' } });
  const link = await makeLink(client, session, {
    spaceId,
    permissionFilter: { team: { eq: 'everyone' } },
  });
  const visitor = await exchangeLink(client, link.token);
  const refused = await restore(id, 1);
  assert.deepEqual([refused.status, refused.json['code']], [409, 'knowledge.properties-differ']);
  assert.deepEqual(await found('bilby', visitor), ['The bilby is known.']);
  assert.equal((await restore(id, 1, { properties: 'version' })).status, 200);
  assert.deepEqual(await found('bilby', visitor), [], 'hidden from the response on');
  await untilDocumentIndexed(client, session, `${path}/${id}`);
  assert.deepEqual(await found('bilby', visitor), []);
  assert.equal((await restore(id, 2, { properties: 'current' })).status, 200);
  await untilDocumentIndexed(client, session, `${path}/${id}`);
  assert.deepEqual(await found('bilby', visitor), [], 'the metadata is still that of version 1');
  assert.deepEqual(await found('bilby'), ['The bilby is known.']);
  for (const suffix of ['', '/1/content'])
    assert.equal((await client(`${path}/${id}/versions${suffix}`, { as: visitor })).status, 403);
});

test('documents that events synchronise have versions, and an event after a restore replaces the document', async () => {
  const send = async (text: string) => {
    const [eventId] = await sendDocumentEvents(client, session, spaceId, [
      { subject: 'wombat', data: { fileName: 'wombat.txt', text } },
    ]);
    await untilHandled(client, session, spaceId, 'wombat', eventId);
    const { items } = (await client(`${path}?fileName=wombat.txt`, { as: session })).json;
    const [{ id }] = items as [{ id: string }];
    await untilDocumentIndexed(client, session, `${path}/${id}`);
    return id;
  };
  const id = await send('The wombat digs.');
  await send('The wombat sleeps.');
  assert.equal((await restore(id, 1)).status, 200);
  await untilDocumentIndexed(client, session, `${path}/${id}`);
  assert.deepEqual(await found('wombat'), ['The wombat digs.']);
  await send('The wombat eats.');
  assert.deepEqual(await found('wombat'), ['The wombat eats.']);
  assert.equal((await versionsOf(id)).length, 4);
});

test('an uploaded document has versions of its properties, and its format must match to keep them', async () => {
  const upload = async (body: object) => {
    const answer = await client(path, { as: session, body });
    const id = String(answer.json['id']);
    await untilDocumentIndexed(client, session, `${path}/${id}`);
    return id;
  };
  const id = await upload({ fileName: 'possum', text: '<p>The possum.', metadata: { n: 1 } });
  await upload({ fileName: 'possum', html: '<p>The possum.', metadata: { n: 1 } });
  assert.deepEqual(
    (await restore(id, 1, { properties: 'current' })).json['code'],
    'knowledge.format-differs',
  );
  assert.equal((await restore(id, 1, { properties: 'version' })).status, 200);
  await untilDocumentIndexed(client, session, `${path}/${id}`);
  assert.deepEqual(await found('possum'), ['<p>The possum.']);
});

test('versions belong to their space and document, and are removed with the document', async () => {
  const id = await put('gone', 'The dunnart was here.');
  await put('gone', 'The dunnart is here.');
  const other = await makeSpace(client, session);
  const elsewhere = `/spaces/${other.id}/documents/${id}/versions`;
  for (const [suffix, method] of [
    ['', 'GET'],
    ['/1/content', 'GET'],
    ['/1/restore', 'POST'],
  ] as const) {
    const body = method === 'POST' ? { body: {} } : {};
    assert.equal(
      (await client(`${elsewhere}${suffix}`, { method, as: session, ...body })).status,
      404,
    );
  }
  await client(`${path}/${id}`, { method: 'DELETE', as: session });
  assert.equal((await client(`${path}/${id}/versions`, { as: session })).status, 404);
  assert.equal(await textOf(id, 1), 404);
  const again = await put('gone', 'The dunnart returned.');
  assert.deepEqual(
    (await versionsOf(again)).map(({ version }) => version),
    [1],
  );
});
