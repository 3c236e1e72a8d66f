import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { DocumentLinks, Link } from '@gatehouse/contract';
import { addDocument, untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeLink, makeSpace } from '../support/provision.ts';

const { client, session, spaceId, path, upload } = await knowledgeOfThisFile();

async function namesIn(query: string, as = session): Promise<string[]> {
  const { status, text, json } = await client(`${path}?${query}`, { as });
  assert.equal(status, 200, text);
  return (json['items'] as { fileName: string }[]).map(({ fileName }) => fileName);
}

describe('the list of documents', () => {
  before(async () => {
    for (const [fileName, team] of [
      ['Rückgabe 100%.txt', 'support'],
      ['prices.txt', 'sales'],
      ['PRICES.txt', 'Support'],
    ] as const)
      await addDocument(client, session, spaceId, {
        fileName,
        text: `The text of ${team}.`,
        metadata: { team },
      });
  });

  test('finds a file name exactly', async () => {
    assert.deepEqual(await namesIn('fileName=prices.txt'), ['prices.txt']);
    assert.deepEqual(await namesIn('fileName=price'), []);
    assert.deepEqual(await namesIn(`fileName=${encodeURIComponent('Rückgabe 100%.txt')}`), [
      'Rückgabe 100%.txt',
    ]);
  });

  test('finds parts of file names and metadata in any case', async () => {
    assert.deepEqual(await namesIn('search=PRICE'), ['prices.txt', 'PRICES.txt']);
    assert.deepEqual(await namesIn('search=support'), ['Rückgabe 100%.txt', 'PRICES.txt']);
    assert.deepEqual(await namesIn('search=support&fileName=PRICES.txt&state=ready'), [
      'PRICES.txt',
    ]);
    assert.deepEqual(await namesIn(`search=${encodeURIComponent('100%')}`), ['Rückgabe 100%.txt']);
  });

  test('continues a filtered list after its cursor', async () => {
    const { json } = await client(`${path}?search=price&limit=1`, { as: session });
    assert.equal((json['items'] as unknown[]).length, 1);
    assert.deepEqual(await namesIn(`search=price&limit=1&after=${json['next']}`), ['PRICES.txt']);
  });

  test('rejects a text of wildcards', async () => {
    const { status, json } = await client(`${path}?search=%25`, { as: session });
    assert.equal(status, 400);
    assert.match(JSON.stringify(json['issues']), /search: /);
  });

  test('finds nothing outside the filters of a link', async () => {
    const permissionFilter = { team: { eq: 'sales' } };
    const link = await makeLink(client, session, { spaceId, permissionFilter });
    const accessToken = await exchangeLink(client, link.token);
    assert.deepEqual(await namesIn('search=price', accessToken), ['prices.txt']);
    assert.deepEqual(await namesIn('fileName=PRICES.txt', accessToken), []);
  });
});

describe('the links that show a document', () => {
  const linksOf = async (documentId: string, space = spaceId) => {
    const answer = await client(`/spaces/${space}/documents/${documentId}/links`, { as: session });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as unknown as DocumentLinks;
  };
  const subs = (items: readonly Link[]) => items.map(({ sub }) => sub);

  test('are the active links whose filters and the filter of the space permit it, newest first', async () => {
    const { id: space } = await makeSpace(client, session, { name: 'Links' });
    const { id } = await addDocument(client, session, space, {
      fileName: 'staff.txt',
      text: 'For staff.',
      metadata: { audience: ['staff', 'board'], team: 'a' },
    });
    const add = (sub: string, filters: object) =>
      makeLink(client, session, { spaceId: space, sub, ...filters });
    await add('everything', {});
    await add('staff', { permissionFilter: { audience: { eq: 'staff' } } });
    await add('customers', { permissionFilter: { audience: { eq: 'customers' } } });
    await add('narrowed away', { filter: { team: 'b' } });
    await add('narrowed', { filter: { team: ['a', 'b'] } });
    const revoked = await add('revoked', {});
    await client(`/assistant-link/${revoked.id}`, { method: 'DELETE', as: session });
    const found = await linksOf(id, space);
    assert.deepEqual(subs(found.items), ['narrowed', 'staff', 'everything']);
    assert.equal(found.examined, 5);
    assert.equal(found.isComplete, true);
    const body = { permissionFilter: { team: { eq: 'c' } } };
    await client(`/spaces/${space}`, { method: 'PATCH', as: session, body });
    assert.deepEqual(subs((await linksOf(id, space)).items), []);
  });

  test('are those that the explanation calls visible', async () => {
    const { id } = await addDocument(client, session, spaceId, {
      fileName: 'explained.txt',
      text: 'Explained.',
      metadata: { level: 3 },
    });
    const made = [];
    for (const permissionFilter of [
      { level: { gt: 2 } },
      { level: { gt: 3 } },
      { not: { level: { eq: 3 } } },
      { search: 'EXPLAINED' },
      { or: [] },
    ])
      made.push(await makeLink(client, session, { spaceId, permissionFilter }));
    const visible = [];
    for (const { id: linkId } of made) {
      const body = { linkId, documentId: id };
      const path = `/spaces/${spaceId}/access-preview/explain`;
      if ((await client(path, { as: session, body })).json['visible'] === true)
        visible.push(linkId);
    }
    assert.equal(visible.length, 2);
    const shown = (await linksOf(id)).items.map((link) => link.id);
    assert.deepEqual(
      made.map((link) => link.id).filter((linkId) => shown.includes(linkId)),
      visible,
    );
  });

  test('cannot be listed for a document of another space', async () => {
    const { id: other } = await makeSpace(client, session, { name: 'Other' });
    const { id } = await addDocument(client, session, spaceId, {
      fileName: 'other.txt',
      text: 'Other.',
    });
    const answer = await client(`/spaces/${other}/documents/${id}/links`, { as: session });
    assert.equal(answer.status, 404);
  });
});

describe('indexing again', () => {
  const retry = (id: string, query = '') =>
    client(`${path}/${id}/retry${query}`, { method: 'POST', as: session });

  test('repeats the extraction of a failed document', async () => {
    const { json } = await upload('broken.pdf', '%PDF-1.7 this is no PDF');
    const id = String(json['id']);
    const failed = await untilDocumentIndexed(client, session, `${path}/${id}`);
    assert.equal(failed.state, 'failed');
    const again = await retry(id);
    assert.equal(again.status, 200, again.text);
    assert.notEqual(again.json['state'], 'ready');
    const result = await untilDocumentIndexed(client, session, `${path}/${id}`);
    assert.deepEqual([result.state, result.failure], ['failed', failed.failure]);
  });

  test('reads the file of a ready document again only with force=true', async () => {
    const { json } = await upload('ready.md', '# Always ready');
    const id = String(json['id']);
    await untilDocumentIndexed(client, session, `${path}/${id}`);
    assert.equal((await retry(id)).json['state'], 'ready');
    assert.equal((await retry(id, '?force=false')).json['state'], 'ready');
    const again = await retry(id, '?force=true');
    assert.deepEqual([again.status, again.json['state']], [200, 'processing'], again.text);
    assert.equal(again.json['title'], 'Always ready');
    assert.equal((await untilDocumentIndexed(client, session, `${path}/${id}`)).state, 'ready');
    assert.equal((await retry(id, '?force=yes')).status, 400);
  });
});
