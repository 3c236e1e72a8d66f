import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RankedPassage } from '../../storage/ports/knowledge-engine.ts';
import { fuse } from './fusion.rules.ts';

function ranking(...names: string[]): RankedPassage[] {
  return names.map((name, index) => ({
    documentId: name,
    position: 0,
    fileName: name,
    title: name,
    url: null,
    metadata: '{}',
    projectionId: null,
    updatedAt: '2026-11-01T00:00:00.000Z',
    heading: null,
    text: name,
    score: 1000 - index,
  }));
}

function fused(rankings: RankedPassage[][], limit = 10): string {
  return fuse(rankings, limit)
    .map(({ documentId }) => documentId)
    .join('');
}

test('a passage that is in two rankings ranks above passages that are in only one', () => {
  assert.equal(fused([ranking('a', 'b', 'c'), ranking('d', 'c', 'e')]), 'cadbe');
});

test('fusion preserves the order of a single ranking and interleaves disjoint rankings', () => {
  assert.equal(fused([ranking('a', 'b', 'c'), []]), 'abc');
  assert.equal(fused([ranking('a', 'b'), ranking('x', 'y')]), 'axby');
});

test('a fused ranking respects the limit and treats passages of one document separately', () => {
  assert.equal(fused([ranking('a', 'b', 'c')], 2), 'ab');
  const second = ranking('a').map((passage) => ({ ...passage, position: 1 }));
  assert.equal(fuse([ranking('a'), second], 10).length, 2);
});
