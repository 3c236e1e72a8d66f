import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDocument } from '../support/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge-of-this-file.ts';

const { client, session, spaceId, search } = await knowledgeOfThisFile();

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

test('thirty people who ask long questions at once are all answered', async () => {
  const question = (person: number) =>
    Array.from({ length: 32 }, (_, word) => `word${word}of${person}`).join(' ');
  await Promise.all(Array.from({ length: 30 }, (_, person) => search({ query: question(person) })));
});

test("a query full of the engine's own operators is plain text", async () => {
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
