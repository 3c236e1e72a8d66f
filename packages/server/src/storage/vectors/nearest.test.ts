import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../tests/support/seeded.ts';
import { firstMissing } from './chunks.ts';
import { cosineScore, scaled, toBytes } from './quantise.ts';
import { similarity, similarityTables, sketchLength, sketchOf } from './sketch.ts';
import { TopK } from './top-k.ts';

const PASSAGES = 2000;
const random = seeded(15);

/** Returns a value from -1 to 1, with a triangular distribution. */
const noise = () => random.next() + random.next() - 1;
const randomVector = (dimensions: number, shift = 0) =>
  Float32Array.from({ length: dimensions }, () => noise() + shift);

function collection(dimensions: number, shift: number) {
  const topics = Array.from({ length: 100 }, () => randomVector(dimensions, shift));
  const near = (amount: number) => random.pick(topics).map((value) => value + amount * noise());
  return {
    passages: Array.from({ length: PASSAGES }, () => near(0.8)),
    queries: Array.from({ length: 20 }, () => near(0.5)),
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x = 0, y = 0] = [a[at], b[at]];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return product / Math.sqrt(ofA * ofB);
}

function top(scores: readonly number[], count: number): number[] {
  const best = new TopK<{ score: number; index: number }>(count);
  for (const [index, score] of scores.entries()) best.add({ score, index });
  return best.sorted().map(({ index }) => index);
}

/** Returns the share of the ten nearest passages that are among the 80 best sketches. */
function recall(dimensions: number, shift: number): number {
  const { passages, queries } = collection(dimensions, shift);
  const length = sketchLength(dimensions);
  const sketches = passages.map((vector) => sketchOf(scaled(vector)));
  const bytes = passages.map(toBytes);
  let found = 0;
  for (const query of queries) {
    const exact = top(
      passages.map((vector) => cosine(query, vector)),
      10,
    );
    const tables = similarityTables(scaled(query));
    const candidates = top(
      sketches.map((sketch) => similarity(tables, sketch, 0, length)),
      80,
    );
    const nearest = top(
      candidates.map((index) => cosineScore(scaled(query), bytes[index] ?? new Int8Array(), 0)),
      10,
    ).map((at) => candidates[at] ?? -1);
    found += exact.filter((index) => nearest.includes(index)).length;
  }
  return found / (queries.length * 10);
}

for (const [dimensions, shift, least] of [
  [768, 0, 0.95],
  [384, 0, 0.9],
  [384, 0.5, 0.9],
  [100, 0, 0.9],
] as const)
  test(`sketches of ${dimensions} dimensions around ${shift} find at least ${least * 100}% of the ten nearest passages`, (t) => {
    const share = recall(dimensions, shift);
    t.diagnostic(`${share}`);
    assert.ok(share >= least, `${share}`);
  });

test('sketches distinguish sparse vectors', () => {
  const only = (at: number) => Float32Array.from({ length: 64 }, (_, i) => (i === at ? 1 : 0));
  const tables = similarityTables(only(7));
  const scores = Array.from({ length: 64 }, (_, at) =>
    similarity(tables, sketchOf(only(at)), 0, sketchLength(64)),
  );
  assert.deepEqual(top(scores, 1), [7]);
});

test('the length of a vector affects neither its score nor its sketch', () => {
  const [query, vector] = [randomVector(32), randomVector(32)];
  const expected = cosineScore(scaled(query), toBytes(vector), 0);
  for (const factor of [1e-30, 1, 1e30]) {
    const other = vector.map((value) => value * factor);
    assert.ok(Math.abs(cosineScore(scaled(query), toBytes(other), 0) - expected) < 1e-3);
    assert.deepEqual(sketchOf(scaled(other)), sketchOf(scaled(vector)));
  }
});

test('TopK returns the same items as sorting by score', () => {
  const scores = Array.from({ length: 500 }, () => random.below(200));
  for (const count of [1, 2, 7, 400, 600]) {
    const best = top(scores, count).map((index) => scores[index]);
    assert.deepEqual(best, scores.toSorted((a, b) => b - a).slice(0, count));
  }
});

test('finds the first missing row of vectors of a document', () => {
  assert.deepEqual(firstMissing(1, []), { first: 0, isLast: true });
  assert.deepEqual(firstMissing(32, []), { first: 0, isLast: true });
  assert.deepEqual(firstMissing(33, []), { first: 0, isLast: false });
  assert.deepEqual(firstMissing(33, [0]), { first: 32, isLast: true });
  assert.deepEqual(firstMissing(100, [64, 96]), { first: 0, isLast: false });
  assert.deepEqual(firstMissing(100, [0, 64, 96]), { first: 32, isLast: true });
  assert.equal(firstMissing(33, [0, 32]), null);
  assert.equal(firstMissing(0, []), null);
});
