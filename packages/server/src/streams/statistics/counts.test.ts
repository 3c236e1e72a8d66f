import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MinuteCounts, NamedCounts, sum, WINDOW } from './counts.ts';

const NOW = 29_872_345;

test('returns the counts of the last minutes, however long the pauses between events are', () => {
  const step = fc.record({ pause: fc.nat(150), amount: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(step), fc.nat(150), (steps, after) => {
      const counts = new MinuteCounts();
      const model = new Map<number, number>();
      let minute = NOW;
      for (const { pause, amount } of steps) {
        minute += pause;
        counts.add(minute, amount);
        model.set(minute, (model.get(minute) ?? 0) + amount);
      }
      const last = minute + after;
      const wanted = Array.from(
        { length: WINDOW },
        (_, index) => model.get(last - WINDOW + 1 + index) ?? 0,
      );
      assert.deepEqual(counts.read(last), wanted);
    }),
  );
});

test('after the clock is set back, counts in the earlier minute, and starts over if that minute has expired', () => {
  const counts = new MinuteCounts();
  counts.add(NOW, 1);
  counts.add(NOW - 1, 2);
  assert.deepEqual(counts.read(NOW).slice(-2), [2, 1]);
  const earlier = NOW - 10 * WINDOW;
  counts.add(earlier, 4);
  counts.add(earlier + 1, 8);
  assert.deepEqual(counts.read(earlier + 1).slice(-3), [0, 4, 8]);
  assert.equal(sum(counts.read(earlier + 1)), 12);
});

test('counts by name and returns the most frequent name first', () => {
  const counts = new NamedCounts();
  counts.add('a', NOW, 1);
  counts.add('b', NOW, 5);
  counts.add('a', NOW + 1, 2);
  assert.deepEqual(
    counts.read(NOW + 1).map(({ name, counts: own }) => [name, ...own.slice(-2)]),
    [
      ['b', 5, 0],
      ['a', 1, 2],
    ],
  );
});

test('counts excess names and very long names together', () => {
  const counts = new NamedCounts();
  for (let number = 0; number < 1000; number += 1) counts.add(`n${number}`, NOW, 1);
  counts.add('x'.repeat(100_000), NOW, 1);
  const read = counts.read(NOW);
  assert.equal(read.length, 51);
  assert.deepEqual([read.at(-1)?.name, sum(read.at(-1)?.counts ?? [])], [null, 951]);
});

test('a new name replaces a name that was not counted for an hour', () => {
  const counts = new NamedCounts();
  for (let number = 0; number < 60; number += 1) counts.add(`old${number}`, NOW, 1);
  counts.add('new', NOW + WINDOW, 1);
  assert.deepEqual(
    counts.read(NOW + WINDOW).map(({ name }) => name),
    ['new'],
  );
});
