import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RankedPassage } from '../../storage/ports/knowledge-engine.ts';
import { fuse } from './fusion.rules.ts';

function ranking(...names: string[]): RankedPassage[] {
  return names.map((name, index) => ({
    documentId: name,
    position: 0,
    fileName: name,
    metadata: '{}',
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

test('what two rankings have comes before what only one has', () => {
  assert.equal(fused([ranking('a', 'b', 'c'), ranking('d', 'c', 'e')]), 'cadbe');
});

test('a single ranking keeps its order, and two that have nothing in common take turns', () => {
  assert.equal(fused([ranking('a', 'b', 'c'), []]), 'abc');
  assert.equal(fused([ranking('a', 'b'), ranking('x', 'y')]), 'axby');
});

test('no more come than are wanted, and passages of one document stay apart', () => {
  assert.equal(fused([ranking('a', 'b', 'c')], 2), 'ab');
  const second = ranking('a').map((passage) => ({ ...passage, position: 1 }));
  assert.equal(fuse([ranking('a'), second], 10).length, 2);
});
