import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IndexRoom } from './identity-index.suite.ts';
import { range } from './keys.suite.ts';

/** Keys that pass through three levels: 64 a segment, 8 segments a merge. */
const MANY = 64 * 8 * 8 * 2 + 100;

function fill(room: IndexRoom, to: number): void {
  for (let from = 0; from < to; from += 50) {
    room.take(range(from, Math.min(to, from + 50)));
    room.maintain(Number.POSITIVE_INFINITY);
  }
}

function missing(room: IndexRoom, to: number): number[] {
  return range(0, to).filter((number) => !room.has(number));
}

test('keys are known wherever they are: in memory, in each level, and while they move', () => {
  const room = new IndexRoom();
  for (let from = 0; from < MANY; from += 50) {
    const numbers = range(from, from + 50);
    assert.deepEqual(room.take(numbers), numbers);
    room.maintain(4);
    assert.deepEqual(room.take(numbers), []);
  }
  assert.deepEqual(missing(room, MANY), []);
  assert.ok(range(MANY + 50, MANY + 3000).every((number) => !room.has(number)));
  const levels = room.db.prepare('select distinct block_bits from identity_segments').all();
  assert.ok(levels.length >= 3, `${levels.length} levels`);
});

test('maintenance comes to an end, and leaves no more segments and blocks than the levels need', () => {
  const room = new IndexRoom();
  fill(room, MANY);
  assert.equal(room.maintain(1), 0);
  assert.ok(room.count('identity_segments') <= 3 * 7);
  const rows = room.db
    .prepare("select sum(1 << block_bits) as blocks from identity_segments where state = 'live'")
    .get();
  assert.ok(room.count('identity_blocks') <= Number(rows?.['blocks']));
  const keys = room.db.prepare('select sum(length(keys)) / 16 as n from identity_blocks').get();
  const held = room.db.prepare('select sum(count) as n from identity_segments').get();
  assert.equal(keys?.['n'], held?.['n']);
});

test('a crash between any two steps of maintenance loses no key and leaves no garbage for good', () => {
  for (const takes of range(14, 40)) {
    for (const steps of range(0, 3)) crashAfter(takes, steps);
  }
});

/** Eight flushes are due after 16 takes, so that the crash comes before, in and after a merge. */
function crashAfter(takes: number, steps: number): void {
  const room = new IndexRoom();
  const keys = takes * 50;
  for (let from = 0; from < keys; from += 50) {
    room.take(range(from, from + 50));
    room.maintain(1);
  }
  room.maintain(steps);
  room.crash();
  assert.deepEqual(missing(room, keys), [], `${takes} takes, ${steps} steps`);
  assert.deepEqual(room.take(range(0, keys)), []);
  room.maintain(Number.POSITIVE_INFINITY);
  assert.deepEqual(missing(room, keys), [], `${takes} takes, ${steps} steps, and maintenance`);
  const dead = "select count(*) as n from identity_segments where state <> 'live'";
  assert.equal(room.db.prepare(dead).get()?.['n'], 0);
  const stored = room.db.prepare('select sum(length(keys)) / 16 as n from identity_blocks').get();
  const held = room.db.prepare('select sum(count) as n from identity_segments').get();
  assert.equal(stored?.['n'], held?.['n']);
  assert.ok(Number(held?.['n']) <= keys, 'no key stands in two segments');
}

test('what moved to disk is not read into memory again at the next start', () => {
  const room = new IndexRoom();
  // Eight flushes of 100 keys, and the merge that they make.
  fill(room, 800);
  assert.equal(room.count('identity_segments'), 1);
  room.crash();
  assert.equal(room.maintain(1), 0);
});

test('a step of maintenance that could not be committed is done again', () => {
  const room = new IndexRoom();
  for (let from = 0; from < 3000; from += 50) {
    room.take(range(from, from + 50));
    for (let step = 0; step < 3; step += 1) {
      room.maintain(1, 'rollback');
      room.maintain(1);
    }
  }
  room.maintain(Number.POSITIVE_INFINITY);
  assert.deepEqual(missing(room, 3000), []);
});

test('keys of a transaction that was rolled back are new again', () => {
  const room = new IndexRoom();
  fill(room, 600);
  assert.deepEqual(room.take([1, 600, 601, 600], 'rollback'), [600, 601]);
  assert.deepEqual([room.has(1), room.has(600), room.has(601)], [true, false, false]);
  assert.deepEqual(room.take([600, 601, 601]), [600, 601]);
});

test('the index is a set, whatever is done to it in whatever order', () => {
  const number = fc.nat({ max: 2000 });
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ take: fc.array(number, { maxLength: 120 }) }) },
    { weight: 2, arbitrary: fc.record({ undo: fc.array(number, { maxLength: 120 }) }) },
    { weight: 6, arbitrary: fc.record({ maintenance: fc.nat({ max: 20 }) }) },
    { weight: 2, arbitrary: fc.record({ fail: fc.constant(1) }) },
    { weight: 1, arbitrary: fc.record({ crash: fc.constant(true) }) },
  );
  fc.assert(
    fc.property(fc.array(action, { minLength: 20, maxLength: 80, size: 'max' }), (actions) => {
      const room = new IndexRoom();
      const model = new Set<number>();
      for (const step of actions) {
        if ('take' in step) {
          const fresh = [...new Set(step.take)].filter((key) => !model.has(key));
          assert.deepEqual(room.take(step.take), fresh);
          for (const key of fresh) model.add(key);
        } else if ('undo' in step) room.take(step.undo, 'rollback');
        else if ('maintenance' in step) room.maintain(step.maintenance);
        else if ('fail' in step) room.maintain(step.fail, 'rollback');
        else room.crash();
      }
      assert.deepEqual(
        range(0, 2001).filter((key) => room.has(key)),
        [...model].toSorted((a, b) => a - b),
      );
    }),
    { numRuns: 60 },
  );
});
