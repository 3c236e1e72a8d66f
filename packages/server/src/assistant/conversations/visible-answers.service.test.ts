import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import type { VisibleDocument } from '../../knowledge/index.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { KnowledgeScope } from '../../storage/ports/index.ts';
import { digestOf, idsOf, usedDocument, visibleAnswers } from './visible-answers.service.ts';

const MONDAY = '2026-11-02T08:00:00.000Z';
const FRIDAY = '2026-11-06T08:00:00.000Z';

/** The answers are read in a scope without a filter, in which both documents were last changed on Monday. */
function read(documents: readonly string[], filterDigest: string | null) {
  const named = async (_: KnowledgeScope, ids: readonly string[]) =>
    new Map(
      ids
        .filter((id) => id === 'one' || id === 'two')
        .map((id): [string, VisibleDocument] => [
          id,
          {
            ...{ fileName: id, title: id, url: null, mimeType: 'text/plain' },
            updatedAt: MONDAY,
          },
        ]),
    );
  const answer = { documents, filterDigest };
  const scope = new KnowledgeScope('space', matchAll);
  return visibleAnswers({ named }, scope, [answer]).then((visible) => visible.has(answer));
}

test('an answer is visible if its documents are visible and unchanged, whatever its filter was', async () => {
  assert.equal(await read([], null), true);
  const unchanged = [usedDocument('one', MONDAY), usedDocument('two', MONDAY)];
  assert.equal(await read(unchanged, digestOf(filterOf({ level: { eq: 1 } }))), true);
  assert.equal(await read([...unchanged, usedDocument('three', MONDAY)], null), false);
});

test('an answer about an earlier version is visible only with the filter with which it was given', async () => {
  const earlier = [usedDocument('one', MONDAY), usedDocument('two', FRIDAY)];
  assert.equal(await read(earlier, digestOf(matchAll)), true);
  assert.equal(await read(earlier, digestOf(filterOf({ level: { eq: 1 } }))), false);
  assert.equal(await read(earlier, null), false);
  // Another version in the same answer does not help.
  assert.equal(await read([...earlier, usedDocument('two', MONDAY)], null), false);
});

test('answers that an earlier release stored depend only on the documents that are visible now', async () => {
  assert.equal(await read(['one', 'two'], null), true);
  assert.equal(await read(['one', 'three'], null), false);
});

test('two spellings of one filter have the same digest, and other filters have another one', () => {
  const members = [{ a: { eq: 1 } }, { b: { eq: 2 } }];
  const together = filterOf({ a: { eq: 1 }, b: { eq: 2 } });
  assert.equal(digestOf(together), digestOf(filterOf({ and: members })));
  assert.notEqual(digestOf(filterOf({ a: { eq: 1 } })), digestOf(filterOf({ a: { eq: 2 } })));
  assert.match(digestOf(matchAll), /^[\w-]{43}$/);
});

test('versions of one document have one ID', () => {
  assert.deepEqual(idsOf([usedDocument('one', MONDAY), 'two', usedDocument('one', FRIDAY)]), [
    'one',
    'two',
  ]);
});
