import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IndexHarness } from './identity-index.suite.ts';
import { range } from './keys.suite.ts';

/** Enough keys for three levels, with 64 keys per segment and 8 segments per merge. */
const KEYS = 64 * 8 * 8 * 2 + 100;

function fill(index: IndexHarness, to: number): void {
  for (let from = 0; from < to; from += 50) {
    index.add(range(from, Math.min(to, from + 50)));
    index.maintain(Number.POSITIVE_INFINITY);
  }
}

function missing(index: IndexHarness, to: number): number[] {
  return range(0, to).filter((number) => !index.has(number));
}

test('finds keys in memory, in every level, and during a merge', () => {
  const index = new IndexHarness();
  for (let from = 0; from < KEYS; from += 50) {
    const numbers = range(from, from + 50);
    assert.deepEqual(index.add(numbers), numbers);
    index.maintain(4);
    assert.deepEqual(index.add(numbers), []);
  }
  assert.deepEqual(missing(index, KEYS), []);
  assert.ok(range(KEYS + 50, KEYS + 3000).every((number) => !index.has(number)));
  const levels = index.db.prepare('select distinct block_bits from identity_segments').all();
  assert.ok(levels.length >= 3, `${levels.length} levels`);
});

test('maintenance finishes and leaves no unnecessary segments or blocks', () => {
  const index = new IndexHarness();
  fill(index, KEYS);
  assert.equal(index.maintain(1), 0);
  assert.ok(index.count('identity_segments') <= 3 * 7);
  const rows = index.db
    .prepare("select sum(1 << block_bits) as blocks from identity_segments where state = 'live'")
    .get();
  assert.ok(index.count('identity_blocks') <= Number(rows?.['blocks']));
  const keys = index.db.prepare('select sum(length(keys)) / 16 as n from identity_blocks').get();
  const held = index.db.prepare('select sum(count) as n from identity_segments').get();
  assert.equal(keys?.['n'], held?.['n']);
});

test('a crash between any two maintenance steps loses no key and leaves no permanent garbage', () => {
  for (const batches of range(14, 40)) {
    for (const steps of range(0, 3)) crashAfter(batches, steps);
  }
});

/** Sixteen batches cause eight flushes, so the crashes happen before, during and after a merge. */
function crashAfter(batches: number, steps: number): void {
  const index = new IndexHarness();
  const keys = batches * 50;
  for (let from = 0; from < keys; from += 50) {
    index.add(range(from, from + 50));
    index.maintain(1);
  }
  index.maintain(steps);
  index.crash();
  assert.deepEqual(missing(index, keys), [], `${batches} batches, ${steps} steps`);
  assert.deepEqual(index.add(range(0, keys)), []);
  index.maintain(Number.POSITIVE_INFINITY);
  assert.deepEqual(missing(index, keys), [], `${batches} batches, ${steps} steps, and maintenance`);
  const dead = "select count(*) as n from identity_segments where state <> 'live'";
  assert.equal(index.db.prepare(dead).get()?.['n'], 0);
  const stored = index.db.prepare('select sum(length(keys)) / 16 as n from identity_blocks').get();
  const held = index.db.prepare('select sum(count) as n from identity_segments').get();
  assert.equal(stored?.['n'], held?.['n']);
  assert.ok(Number(held?.['n']) <= keys, 'a key is in two segments');
}

test('a restart does not load keys of segments into memory', () => {
  const index = new IndexHarness();
  // Causes eight flushes of 100 keys and one merge.
  fill(index, 800);
  assert.equal(index.count('identity_segments'), 1);
  index.crash();
  assert.equal(index.maintain(1), 0);
});

test('a maintenance step that was rolled back is repeated', () => {
  const index = new IndexHarness();
  for (let from = 0; from < 3000; from += 50) {
    index.add(range(from, from + 50));
    for (let step = 0; step < 3; step += 1) {
      index.maintain(1, 'rollback');
      index.maintain(1);
    }
  }
  index.maintain(Number.POSITIVE_INFINITY);
  assert.deepEqual(missing(index, 3000), []);
});

test('keys of a rolled-back transaction are new', () => {
  const index = new IndexHarness();
  fill(index, 600);
  assert.deepEqual(index.add([1, 600, 601, 600], 'rollback'), [600, 601]);
  assert.deepEqual([index.has(1), index.has(600), index.has(601)], [true, false, false]);
  assert.deepEqual(index.add([600, 601, 601]), [600, 601]);
});

test('the index behaves like a set for any sequence of operations', () => {
  const number = fc.nat({ max: 2000 });
  const operation = fc.oneof(
    { weight: 6, arbitrary: fc.record({ add: fc.array(number, { maxLength: 120 }) }) },
    { weight: 2, arbitrary: fc.record({ undo: fc.array(number, { maxLength: 120 }) }) },
    { weight: 6, arbitrary: fc.record({ maintenance: fc.nat({ max: 20 }) }) },
    { weight: 2, arbitrary: fc.record({ fail: fc.constant(1) }) },
    { weight: 1, arbitrary: fc.record({ crash: fc.constant(true) }) },
  );
  fc.assert(
    fc.property(
      fc.array(operation, { minLength: 20, maxLength: 80, size: 'max' }),
      (operations) => {
        const index = new IndexHarness();
        const model = new Set<number>();
        for (const step of operations) {
          if ('add' in step) {
            const added = [...new Set(step.add)].filter((key) => !model.has(key));
            assert.deepEqual(index.add(step.add), added);
            for (const key of added) model.add(key);
          } else if ('undo' in step) index.add(step.undo, 'rollback');
          else if ('maintenance' in step) index.maintain(step.maintenance);
          else if ('fail' in step) index.maintain(step.fail, 'rollback');
          else index.crash();
        }
        assert.deepEqual(
          range(0, 2001).filter((key) => index.has(key)),
          [...model].toSorted((a, b) => a - b),
        );
      },
    ),
    { numRuns: 60 },
  );
});
