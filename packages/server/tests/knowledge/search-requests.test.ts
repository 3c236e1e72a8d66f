import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';

const { client, session, spaceId, search } = await knowledgeOfThisFile();

const searches: readonly (readonly [string, object, RegExp])[] = [
  ['an empty query', { query: '' }, /query: /],
  ['a query of only punctuation', { query: '?!.* ()"' }, /query: must contain a letter or a digit/],
  ['a query of 10,000 characters', { query: 'a'.repeat(10_000) }, /query: must .*1000/],
  ['a missing query', {}, /query: is required/],
  ['a limit of 51', { query: 'a', limit: 51 }, /limit: must be at most 50/],
  ['a limit of 0', { query: 'a', limit: 0 }, /limit: must be at least 1/],
  ['an invalid filter', { query: 'a', filter: { team: { near: 1 } } }, /filter\.team\.near: /],
];
for (const [what, body, reason] of searches)
  test(`a search with ${what} is rejected with a reason`, async () => {
    const answer = await client(`/spaces/${spaceId}/search`, { as: session, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
  });

test('thirty concurrent searches with long queries all succeed', async () => {
  const question = (person: number) =>
    Array.from({ length: 32 }, (_, word) => `word${word}of${person}`).join(' ');
  await Promise.all(Array.from({ length: 30 }, (_, person) => search({ query: question(person) })));
});

test('search-engine operators in a query are treated as plain text', async () => {
  const document = { fileName: 'travel.txt', text: 'Take the night train.' };
  await addDocument(client, session, spaceId, document);
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
