import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../tests/support/seeded.ts';
import { firstMissing } from './chunks.ts';
import { cosineScore, scaled, toBytes } from './quantise.ts';
import { CANDIDATES, NearestSketches } from './sketches/nearest-sketches.ts';
import { PLANES, queryPlanes, sketchLength, sketchOf } from './sketches/sketch.ts';
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
    queries: Array.from({ length: 5 }, () => near(0.5)),
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
  const best = new TopK<{ score: number; index: number }>(count, (a, b) => a.index - b.index);
  for (const [index, score] of scores.entries()) best.add({ score, index });
  return best.sorted().map(({ index }) => index);
}

/** Returns the indexes of the nearest sketches. Each sketch belongs to a different document. */
function nearestSketches(sketches: readonly Uint8Array[], query: Float32Array, count: number) {
  const nearest = new NearestSketches(scaled(query), count);
  for (const [number, bytes] of sketches.entries())
    nearest.add({ number, first: 0, bytes, from: 0, end: bytes.length });
  return nearest.sorted();
}

/** Returns the share of the ten nearest passages that are among the best sketches. */
function recall(dimensions: number, shift: number): number {
  const { passages, queries } = collection(dimensions, shift);
  const sketches = passages.map((vector) => sketchOf(scaled(vector)));
  const bytes = passages.map(toBytes);
  let found = 0;
  for (const query of queries) {
    const exact = top(
      passages.map((vector) => cosine(query, vector)),
      10,
    );
    const candidates = nearestSketches(sketches, query, 10 * CANDIDATES);
    const nearest = top(
      candidates.map(({ number }) =>
        cosineScore(scaled(query), bytes[number] ?? new Int8Array(), 0),
      ),
      10,
    ).map((at) => candidates[at]?.number ?? -1);
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
  const sketches = Array.from({ length: 64 }, (_, at) => sketchOf(only(at)));
  const [best] = nearestSketches(sketches, only(7), 1);
  assert.equal(best?.number, 7);
});

for (const dimensions of [1, 8, 100, 384, 768, 3072, 5000])
  test(`the score of a sketch of ${dimensions} dimensions is the sum of the query's integers at its set bits`, () => {
    const passages = Array.from({ length: 200 }, () => randomVector(dimensions));
    const sketches = passages.map((vector) => sketchOf(scaled(vector)));
    const query = randomVector(dimensions);
    const planes = queryPlanes(scaled(query));
    const length = sketchLength(dimensions);
    const bit = (bytes: Uint8Array, at: number) => ((bytes[at >> 3] ?? 0) >> (at & 7)) & 1;
    const scoreOf = (sketch: Uint8Array) => {
      let score = 0;
      for (let plane = 0; plane < PLANES; plane++)
        for (let at = 0; at < 8 * length; at++)
          score +=
            (bit(sketch, at) & bit(planes, plane * 8 * length + at)) *
            (plane === PLANES - 1 ? -(2 ** plane) : 2 ** plane);
      return score;
    };
    const expected = sketches.map((sketch, number) => ({
      number,
      position: 0,
      score: scoreOf(sketch),
    }));
    expected.sort((a, b) => b.score - a.score || a.number - b.number);
    assert.deepEqual(nearestSketches(sketches, query, 50), expected.slice(0, 50));
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

test('TopK returns the same items as sorting, regardless of the order in which they are added', () => {
  const items = Array.from({ length: 500 }, (_, id) => ({ score: random.below(100), id }));
  const sorted = items.toSorted((a, b) => b.score - a.score || a.id - b.id);
  for (const count of [1, 2, 7, 400, 600]) {
    const best = new TopK<(typeof items)[number]>(count, (a, b) => a.id - b.id);
    for (const { item } of items
      .map((item) => ({ item, place: random.next() }))
      .sort((a, b) => a.place - b.place))
      best.add(item);
    assert.deepEqual(best.sorted(), sorted.slice(0, count));
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
