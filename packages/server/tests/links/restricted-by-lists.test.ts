import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeLink } from '../support/provision.ts';

const { client, session, spaceId, path, search } = await knowledgeOfThisFile();

const documents = {
  'staff.txt': { acl: [{ group: 'staff' }, { group: 'guests' }] },
  'board.txt': { acl: [{ group: 'staff' }, { group: 'board' }] },
  'nested.txt': { acl: [[{ group: 'staff' }], [[{ group: ['board'] }]]] },
} as const;
const ids = new Map<string, string>();

before(async () => {
  for (const [fileName, metadata] of Object.entries(documents)) {
    const text = `The picnic plan of ${fileName.slice(0, -4)} is settled.`;
    const { id } = await addDocument(client, session, spaceId, { fileName, text, metadata });
    ids.set(fileName, id);
  }
});

async function open(permissionFilter: object): Promise<string> {
  const link = await makeLink(client, session, { spaceId, permissionFilter });
  return exchangeLink(client, link.token);
}

async function assertSees(as: string, visible: readonly string[]): Promise<void> {
  const found = await search({ query: 'picnic' }, as);
  assert.deepEqual(found.map(({ fileName }) => fileName).toSorted(), visible.toSorted(), 'search');
  const listed = await client(path, { as });
  const items = listed.json['items'] as { fileName: string }[];
  assert.deepEqual(items.map(({ fileName }) => fileName).toSorted(), visible.toSorted(), 'list');
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'What is the picnic plan?' }] }];
  const answer = await client('/chat', { as, body: { messages } });
  assert.equal(answer.status, 200, answer.text);
  for (const [fileName, id] of ids) {
    const isVisible = visible.includes(fileName);
    for (const part of ['', '/content', '/passages']) {
      const opened = await client(`${path}/${id}${part}`, { as });
      assert.equal(opened.status, isVisible ? 200 : 404, `${fileName}${part}`);
    }
    if (isVisible) continue;
    assert.ok(!answer.text.includes(id), `the answer cites ${fileName}`);
    assert.ok(!answer.text.includes(fileName.slice(0, -4)), `the answer quotes ${fileName}`);
  }
  const isCited = [...ids].some(([name, id]) => visible.includes(name) && answer.text.includes(id));
  assert.equal(isCited, visible.length > 0, answer.text);
}

describe('a link whose filter names a field of a list of objects', () => {
  for (const [filter, visible] of [
    [{ 'acl.group': { ne: 'board' } }, ['staff.txt']],
    [{ not: { 'acl.group': { eq: 'board' } } }, ['staff.txt']],
    [{ not: { 'acl.group': { like: 'BOARD%' } } }, ['staff.txt']],
    [{ 'acl.group': { eq: 'board' } }, ['board.txt', 'nested.txt']],
    [{ 'acl.group': { in: ['guests', 'board'] } }, ['staff.txt', 'board.txt', 'nested.txt']],
    [{ 'acl.group': { lt: 'c' } }, ['board.txt', 'nested.txt']],
    [{ 'acl.group': null }, []],
  ] as const)
    test(`sees exactly the permitted documents with ${JSON.stringify(filter)}`, async () => {
      await assertSees(await open(filter), visible);
    });

  test('no longer sees a document after a member of the list changes', async () => {
    const metadata = (group: string) => ({ acl: [{ group: 'staff' }, { group }] });
    const as = await open({ 'acl.group': { ne: 'board' } });
    const change = (group: string) =>
      client(`${path}/${ids.get('staff.txt')}`, {
        method: 'PATCH',
        as: session,
        body: { metadata: metadata(group) },
      });
    assert.equal((await change('board')).status, 200);
    await assertSees(as, []);
    assert.equal((await change('guests')).status, 200);
    await assertSees(as, ['staff.txt']);
  });
});
