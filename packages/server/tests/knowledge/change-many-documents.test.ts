import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from '@gatehouse/contract';
import { inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeLink, makeSpace } from '../support/provision.ts';

const { client, session, spaceId, path, search } = await knowledgeOfThisFile();

async function addAll(count: number, name: string, metadata: object): Promise<string[]> {
  const ids: string[] = [];
  await inParallel([...Array(count).keys()], 4, async (index) => {
    const body = { fileName: `${name}${index}.txt`, text: `The ${name}.`, metadata };
    const answer = await client(path, { as: session, body });
    assert.equal(answer.status, 201, answer.text);
    ids.push(String(answer.json['id']));
  });
  return ids;
}

const change = (body: object, as = session) => client(path, { method: 'PATCH', as, body });
const metadataOf = async (id: string | undefined) =>
  (await client(`${path}/${id}`, { as: session })).json['metadata'];

test('a change of several documents sets the given keys, keeps the others, and applies to links immediately', async () => {
  const metadata = { level: 'open', tags: ['a'], nested: { a: 1, b: 2 } };
  const ids = await addAll(5, 'quoll', metadata);
  await untilIndexed(client, session, spaceId);
  const permissionFilter = { level: { eq: 'open' } };
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  const widget = await exchangeLink(client, link.token);
  assert.equal((await search({ query: 'quoll' }, widget)).length, 5);
  const closed = ids.slice(0, 4);
  const answer = await change({
    ids: [...closed, closed[0]?.toUpperCase()],
    metadata: { level: 'closed', nested: { c: 3 } },
  });
  assert.deepEqual([answer.status, answer.json], [200, { changed: 4 }]);
  assert.equal((await search({ query: 'quoll' }, widget)).length, 1);
  const expected = { level: 'closed', tags: ['a'], nested: { c: 3 } };
  for (const id of closed) assert.deepEqual(await metadataOf(id), expected);
  assert.deepEqual(await metadataOf(ids[4]), metadata);
  const byValue = await search({ query: 'quoll', filter: { 'nested.c': { eq: 3 } } });
  assert.equal(byValue.length, 4);
});

test('if one document does not exist or belongs to another space, no document is changed', async () => {
  const [id] = await addAll(1, 'bilby', { level: 'open' });
  const other = await makeSpace(client, session);
  const body = { fileName: 'a.txt', text: 'A.' };
  const foreign = await client(`/spaces/${other.id}/documents`, { as: session, body });
  for (const unknown of ['0199f3a2-0000-7000-8000-000000000000', foreign.json['id']]) {
    const answer = await change({ ids: [id, unknown], metadata: { level: 'closed' } });
    assert.equal(answer.status, 404, answer.text);
    assert.deepEqual(answer.json['issues'], [
      { message: 'ids[1]: No document with this ID exists.' },
    ]);
    assert.deepEqual(await metadataOf(id), { level: 'open' });
  }
});

test('the limits of a change of several documents are checked, and the error names each problem', async () => {
  const [id, full] = await addAll(2, 'kowari', {});
  assert.ok(id !== undefined && full !== undefined);
  const half = 'x'.repeat(40_000);
  assert.equal((await change({ ids: [full], metadata: { a: half } })).status, 200);
  for (const [body, reason] of [
    [{ ids: [], metadata: {} }, /ids: /],
    [{ ids: Array(1001).fill(id), metadata: {} }, /ids: /],
    [{ ids: ['x'], metadata: {} }, /ids\[0\]: /],
    [{ ids: [id] }, /metadata: is required/],
    [{ ids: [id], metadata: { and: 1 } }, /metadata\.and: /],
    [{ ids: [id, full], metadata: { b: half } }, /ids\[1\]: the metadata of this document would/],
  ] as const) {
    const answer = await change(body);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  }
  assert.deepEqual(await metadataOf(id), {});
});

test('all documents change at once: a concurrent list shows all of them changed or none', async () => {
  const space = await makeSpace(client, session);
  const documents = `/spaces/${space.id}/documents`;
  const ids: string[] = [];
  await inParallel([...Array(200).keys()], 8, async (index) => {
    const body = { fileName: `${index}.txt`, text: `Many ${index}.`, metadata: { level: 1 } };
    ids.push(String((await client(documents, { as: session, body })).json['id']));
  });
  const changing = client(documents, {
    method: 'PATCH',
    as: session,
    body: { ids, metadata: { level: 2 } },
  });
  const levels = async () => {
    const { items } = (await client(`${documents}?limit=200`, { as: session })).json;
    return new Set((items as Document[]).map(({ metadata }) => metadata['level']));
  };
  let isDone = false;
  const done = changing.then((answer) => {
    isDone = true;
    return answer;
  });
  while (!isDone) assert.equal((await levels()).size, 1);
  assert.deepEqual((await done).json, { changed: 200 });
  assert.deepEqual(await levels(), new Set([2]));
});

test('a change of many documents succeeds while other documents are uploaded and indexed', async () => {
  const space = await makeSpace(client, session);
  const documents = `/spaces/${space.id}/documents`;
  const upload = async (fileName: string) => {
    const body = { fileName, text: `Text of ${fileName}.`, metadata: { level: 0 } };
    return String((await client(documents, { as: session, body })).json['id']);
  };
  const ids: string[] = [];
  await inParallel([...Array(60).keys()], 8, async (index) => {
    ids.push(await upload(`${index}.txt`));
  });
  let isDone = false;
  const uploads = ['a', 'b'].map(async (name) => {
    for (let index = 0; !isDone; index += 1) await upload(`${name}${index}.txt`);
  });
  try {
    for (let level = 1; level <= 3; level += 1) {
      const body = { ids, metadata: { level } };
      const answer = await client(documents, { method: 'PATCH', as: session, body });
      assert.deepEqual([answer.status, answer.json], [200, { changed: 60 }], answer.text);
    }
  } finally {
    isDone = true;
    await Promise.all(uploads);
  }
});
