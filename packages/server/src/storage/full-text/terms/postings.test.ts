import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../../tests/support/seeded.ts';
import { frequencyOf, MAX_FREQUENCY, MAX_ORDINALS, ordinalOf, Postings } from './postings.ts';

function read(postings: Postings, term: number): (readonly [number, number])[] {
  const buffer = new Uint32Array(postings.count(term));
  const cursor = postings.seek(postings.cursor(), term);
  assert.equal(cursor.read(MAX_ORDINALS, buffer), buffer.length);
  assert.equal(cursor.read(MAX_ORDINALS, new Uint32Array(1)), 0);
  return Array.from(buffer, (posting) => [ordinalOf(posting), frequencyOf(posting)]);
}

test('the postings of each term are read in the order in which they were added', () => {
  const random = seeded(17);
  const postings = new Postings();
  const expected: [number, number][][] = Array.from({ length: 300 }, () => []);
  for (let ordinal = 0; ordinal < 4000; ordinal++)
    for (let count = 0; count < 100; count++) {
      const term = Math.floor(random.next() ** 4 * expected.length);
      if (expected[term]?.at(-1)?.[0] === ordinal) continue;
      const frequency = 1 + random.below(MAX_FREQUENCY);
      postings.add(term, ordinal, frequency);
      expected[term]?.push([ordinal, frequency]);
    }
  for (const [term, own] of expected.entries()) {
    assert.equal(postings.count(term), own.length);
    assert.deepEqual(read(postings, term), own);
  }
  assert.deepEqual(read(postings, 10_000), []);
});

test('a cursor reads the postings of a term in windows, with arrays of any length', () => {
  const random = seeded(18);
  const postings = new Postings();
  const expected: number[] = [];
  for (let ordinal = 0; ordinal < 20_000; ordinal += 1 + random.below(9)) {
    postings.add(0, 0, 1);
    postings.add(1, ordinal, 1);
    expected.push(ordinal);
  }
  for (let round = 0; round < 20; round++) {
    const cursor = postings.seek(postings.cursor(), 1);
    const found: number[] = [];
    const buffer = new Uint32Array(1 + random.below(1000));
    for (let end = 0; end < 20_000; ) {
      end += random.below(2000);
      for (;;) {
        const length = cursor.read(end, buffer);
        if (length === 0) break;
        found.push(...buffer.subarray(0, length).map(ordinalOf));
      }
      assert.deepEqual(
        found,
        expected.filter((ordinal) => ordinal < end),
      );
    }
  }
});

test('20,000 terms can be stored', () => {
  const postings = new Postings();
  for (let round = 0; round < 3; round++)
    for (let term = 0; term < 20_000; term++) postings.add(term, round, 1 + round);
  for (let term = 0; term < 20_000; term++)
    assert.deepEqual(read(postings, term), [
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
});

test('the largest ordinal can be stored, and a frequency above the maximum is stored as the maximum', () => {
  const postings = new Postings();
  postings.add(0, MAX_ORDINALS - 1, 1000);
  assert.deepEqual(read(postings, 0), [[MAX_ORDINALS - 1, MAX_FREQUENCY]]);
});

test('a posting takes less than six bytes', () => {
  const postings = new Postings();
  for (let ordinal = 0; ordinal < 10_000; ordinal++)
    for (let term = 0; term < 50; term++) postings.add(term, ordinal, 1);
  assert.ok(postings.byteLength < 500_000 * 6, `${postings.byteLength}`);
});
