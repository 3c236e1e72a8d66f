import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { until } from '../../../../tests/support/until.ts';
import type { Checkpoint } from '../deliveries/checkpoint.repository.ts';
import { newDelivery, type PendingDelivery } from '../deliveries/pending-delivery.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import { RowChanges } from './row-changes.ts';

function delivery(position: number): PendingDelivery {
  const text = JSON.stringify({ id: `${position}`, source: 'urn:a', type: 't' });
  return newDelivery({ position, receivedAt: 1, text });
}

/** Creates a writer whose writes end when the test calls `end`. */
function openWriter() {
  const changes = new RowChanges();
  const writes: (PromiseWithResolvers<void> & { readonly checkpoint: Checkpoint })[] = [];
  const saved: PendingDelivery[] = [];
  const failures: unknown[] = [];
  const state = { position: 0 };
  const writer = new CheckpointWriter({
    position: 0,
    changes,
    save: (checkpoint) => {
      const write = Promise.withResolvers<void>();
      writes.push({ ...write, checkpoint });
      return write.promise;
    },
    snapshot: () => ({
      ...state,
      lastDeliveredAt: null,
      lastFailure: null,
      discarded: [],
      delivered: [],
      replay: null,
      now: 1,
    }),
    onSaved: ({ added }) => saved.push(...added),
    onFailure: (error) => failures.push(error),
  });
  const end = async (index: number, error?: Error) => {
    await until('the write has started', () => writes.length > index);
    if (error === undefined) writes[index]?.resolve();
    else writes[index]?.reject(error);
    await nextIteration();
  };
  return { writer, changes, writes, saved, failures, state, end };
}

const REJECTED = new Error('rejected');

test('writes nothing if there are no changes', async () => {
  const { writer, writes } = openWriter();
  await writer.flush();
  assert.equal(writes.length, 0);
});

test('writes a new position, row or status once', async () => {
  const { writer, changes, writes, saved, state, end } = openWriter();
  const item = delivery(1);
  const steps = [
    () => {
      state.position = 5;
    },
    () => changes.upsert(item),
    () => writer.markStatusChanged(),
  ];
  for (const [index, change] of steps.entries()) {
    change();
    const flushing = writer.flush();
    await end(index);
    await flushing;
    await writer.flush();
  }
  assert.equal(writes.length, 3);
  assert.equal(writes[0]?.checkpoint.position, 5);
  assert.deepEqual(writes[1]?.checkpoint.added, [item]);
  assert.deepEqual(saved, [item]);
});

test('writes sequentially, and changes made during a write are part of the next write', async () => {
  const { writer, changes, writes, end } = openWriter();
  const [one, other] = [delivery(1), delivery(2)];
  changes.upsert(one);
  const first = writer.flush();
  await until('the first write has started', () => writes.length === 1);
  changes.upsert(other);
  const second = writer.flush();
  await nextIteration();
  assert.equal(writes.length, 1);
  await end(0);
  await first;
  await end(1);
  await second;
  assert.deepEqual(writes[1]?.checkpoint.added, [other]);
});

test('reports a failed write and retries it with the changes since then', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { writer, changes, writes, failures, saved, end } = openWriter();
  const [one, other] = [delivery(1), delivery(2)];
  changes.upsert(one);
  const flushing = writer.flush();
  await end(0, REJECTED);
  await flushing;
  assert.deepEqual(failures, [REJECTED]);
  assert.ok(writer.isFailing);
  assert.deepEqual(saved, []);
  changes.upsert(other);
  // The writer retries without another call.
  t.mock.timers.tick(1000);
  await end(1);
  await until('both rows are saved', () => saved.length === 2);
  assert.ok(!writer.isFailing);
  assert.deepEqual(new Set(writes[1]?.checkpoint.added), new Set([one, other]));
});

test('retries a failed write after one second even if another time was scheduled before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const scheduled of [200, 5000]) {
    const { writer, writes, state, end } = openWriter();
    state.position = 1;
    writer.schedule(scheduled);
    const refused = assert.rejects(writer.flushThen(async () => {}));
    await end(0, REJECTED);
    await refused;
    t.mock.timers.tick(999);
    await nextIteration();
    assert.equal(writes.length, 1, `scheduled after ${scheduled} ms`);
    t.mock.timers.tick(1);
    await nextIteration();
    assert.equal(writes.length, 2, `scheduled after ${scheduled} ms`);
    writer.close();
  }
});

test('a scheduled write starts at the earliest requested time', async () => {
  const { writer, writes, state, end } = openWriter();
  state.position = 1;
  writer.schedule(3_600_000);
  writer.schedule(1);
  writer.schedule(3_600_000);
  await end(0);
  assert.equal(writes.length, 1);
  writer.close();
});

test('flushThen runs the work after the checkpoint and before the next one', async () => {
  const { writer, writes, state, end } = openWriter();
  state.position = 1;
  const work = Promise.withResolvers<void>();
  let started = false;
  const done = writer.flushThen(() => {
    started = true;
    return work.promise;
  });
  await until('the write has started', () => writes.length === 1);
  assert.ok(!started);
  await end(0);
  await until('the work has started', () => started);
  state.position = 2;
  const next = writer.flush();
  await nextIteration();
  assert.equal(writes.length, 1);
  work.resolve();
  await done;
  await end(1);
  await next;
});

test('flushThen skips the work after a failed write, and failed work does not affect later writes', async () => {
  const { writer, state, end } = openWriter();
  state.position = 1;
  const refused = assert.rejects(
    writer.flushThen(async () => assert.fail('the work must not start')),
    /cannot be written/,
  );
  await end(0, REJECTED);
  await refused;
  const failed = assert.rejects(
    writer.flushThen(() => Promise.reject(REJECTED)),
    REJECTED,
  );
  await end(1);
  await failed;
  await writer.flush();
  assert.ok(!writer.isFailing);
});

test('a closed writer neither writes nor reports a failure of its last write', async () => {
  const { writer, writes, failures, state, end } = openWriter();
  state.position = 1;
  const flushing = writer.flush();
  await until('the write has started', () => writes.length === 1);
  writer.close();
  await end(0, REJECTED);
  await flushing;
  state.position = 2;
  writer.schedule(0);
  await writer.flush();
  await writer.flushThen(async () => assert.fail('the work must not start'));
  assert.equal(writes.length, 1);
  assert.deepEqual(failures, []);
});
