import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { EarlyParts } from './early-parts.ts';

/** Returns an iteration of numbers that records how far it got and how it ended. */
function numbers(count: number) {
  const record = { reached: 0, ended: false, reason: null as unknown };
  async function* parts(signal: AbortSignal) {
    try {
      for (let number = 1; number <= count; number += 1) {
        record.reached = number;
        await soon();
        if (signal.aborted) record.reason = signal.reason;
        signal.throwIfAborted();
        yield number;
      }
    } finally {
      record.ended = true;
    }
  }
  return { record, parts };
}

test('two parts are requested before a reader exists, and the reader gets all', async () => {
  const { record, parts } = numbers(5);
  const early = new EarlyParts(parts);
  for (let turns = 0; turns < 10; turns += 1) await soon();
  assert.equal(record.reached, 2);
  const read = await Array.fromAsync(early.run(new AbortController().signal));
  assert.deepEqual([read, record.ended], [[1, 2, 3, 4, 5], true]);
});

test('an iteration with fewer parts ends', async () => {
  for (const count of [0, 1, 2]) {
    const read = await Array.fromAsync(
      new EarlyParts(numbers(count).parts).run(new AbortController().signal),
    );
    assert.equal(read.length, count);
  }
});

test('the iteration ends with its error when the reader is gone, even before it reads', async () => {
  for (const isGoneBefore of [true, false]) {
    const { record, parts } = numbers(5);
    const early = new EarlyParts(parts);
    const gone = new AbortController();
    const reason = new Error('gone');
    if (isGoneBefore) gone.abort(reason);
    await assert.rejects(async () => {
      for await (const part of early.run(gone.signal)) if (part === 3) gone.abort(reason);
    }, reason);
    assert.deepEqual([record.reason, record.ended], [reason, true]);
  }
});

test('the iteration ends when its reader stops early', async () => {
  const { record, parts } = numbers(5);
  for await (const part of new EarlyParts(parts).run(new AbortController().signal))
    if (part === 1) break;
  assert.ok(record.ended);
  assert.ok(record.reached < 5);
});

test('an abandoned iteration ends without an unhandled rejection', async () => {
  const { record, parts } = numbers(5);
  const early = new EarlyParts(parts);
  await early.abandon(new Error('not stored'));
  assert.equal(record.ended, true);
});
