import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  newDelivery,
  type PendingDelivery,
  type StoredDelivery,
} from '../deliveries/pending-delivery.ts';
import { Backlog, isOverRowLimit, MAX_ROWS } from './backlog.ts';
import type { LaneItem } from './lanes.ts';
import { PARK_AFTER_MS } from './retry.rules.ts';
import { SharedCapacity } from './shared-capacity.ts';

const NOW = 1_792_318_200_000;
const NONE = { waiting: 0, parked: 0, bytes: 0 };

function delivery(position: number, subject: string, length = 0): PendingDelivery {
  const data = 'x'.repeat(length);
  const text = JSON.stringify({ id: `${position}`, source: 'urn:a', type: 't', subject, data });
  return newDelivery({ position, receivedAt: 1, text });
}

function storedRow(position: number, subject: string): StoredDelivery {
  return {
    position,
    state: 'waiting',
    resent: 0,
    event_id: `${position}`,
    source: 'urn:a',
    type: 't',
    subject,
    bytes: 10,
    received_at: 1,
    waiting_since: NOW,
    next_attempt_at: NOW + 60_000,
    attempts: 1,
    last_attempt_at: NOW,
    last_status: 500,
    last_failure: 'the target answered 500',
  };
}

function openBacklog({
  waiting = [] as StoredDelivery[],
  totals = NONE,
  stored = [] as number[],
} = {}) {
  const capacity = new SharedCapacity();
  const given = { capacity, position: 100, totals, stored, discarded: [], waiting, now: NOW };
  const backlog = new Backlog(given);
  const read = (through: number, ...items: PendingDelivery[]) =>
    backlog.addPage({ items, through, more: false }, NOW);
  const start = (which: 'new' | 'due'): LaneItem => {
    const started = backlog.lanes.start(which);
    assert.ok(started !== undefined);
    return started;
  };
  const fail = (attempted: LaneItem, at = NOW) =>
    backlog.fail(
      attempted,
      { at, status: 500, message: 'failed', retryAfter: null, isGone: false },
      [],
      0,
    );
  const sync = (before: LaneItem[], stored: typeof NONE, rows: StoredDelivery[]) =>
    backlog.sync(before, { totals: stored, waiting: rows, discarded: [] }, NOW);
  return { backlog, capacity, read, start, fail, sync };
}

const positionsOf = (items: readonly PendingDelivery[]) => items.map(({ position }) => position);

test('the position stays before the first unfinished delivery', () => {
  const { backlog, read, start } = openBacklog();
  read(110, delivery(102, 'a'), delivery(105, 'b'), delivery(106, 'c'));
  assert.equal(backlog.position, 101);
  const [first, second, third] = [start('new'), start('new'), start('new')];
  backlog.finish(second, NOW);
  assert.equal(backlog.position, 101);
  backlog.finish(first, NOW);
  assert.equal(backlog.position, 105);
  backlog.finish(third, NOW);
  assert.equal(backlog.position, 110);
  assert.ok(backlog.changes.isEmpty);
});

test('a page without matching events advances the position', () => {
  const { backlog, read } = openBacklog();
  read(500);
  assert.equal(backlog.position, 500);
});

test('a failed delivery creates rows for its whole lane and advances the position', () => {
  const { backlog, read, start, fail } = openBacklog();
  read(103, delivery(101, 'a'), delivery(102, 'b'), delivery(103, 'a'));
  fail(start('new'));
  assert.equal(backlog.position, 101);
  assert.equal(backlog.totals.waiting, 2);
  backlog.finish(start('new'), NOW);
  assert.equal(backlog.position, 103);
  read(104, delivery(104, 'a'));
  assert.equal(backlog.totals.waiting, 3);
  assert.equal(backlog.position, 104);
  assert.deepEqual(positionsOf(backlog.changes.take().added), [101, 103, 104]);
});

test('an event whose delivery is stored is not added again', () => {
  const waiting = [storedRow(102, 'b'), { ...storedRow(103, 'c'), resent: 1 }];
  const totals = { waiting: 2, parked: 1, bytes: 30 };
  const { backlog, capacity, read, start } = openBacklog({
    waiting,
    totals,
    stored: [102, 103, 104],
  });
  const first = delivery(101, 'a');
  read(104, first, delivery(102, 'b'), delivery(103, 'c'), delivery(104, 'd'));
  assert.deepEqual(backlog.totals, totals);
  assert.ok(backlog.changes.isEmpty);
  assert.equal(capacity.textBytes, first.bytes);
  backlog.finish(start('new'), NOW);
  assert.equal(backlog.lanes.start('new'), undefined);
  assert.equal(backlog.position, 104);
});

test('events are settled only up to a failed delivery until its row is saved', () => {
  const { backlog, read, start, fail } = openBacklog();
  const save = () => {
    backlog.snapshot();
    const batch = backlog.changes.take();
    batch.commit();
    backlog.onSaved({ ...batch, discarded: [] });
  };
  read(104, delivery(101, 'a'), delivery(102, 'b'), delivery(103, 'b'), delivery(104, 'c'));
  fail(start('new'));
  assert.equal(backlog.position, 101);
  assert.equal(backlog.settledThrough, 100);
  const second = start('new');
  save();
  assert.equal(backlog.settledThrough, 101);
  fail(second);
  backlog.finish(start('new'), NOW);
  assert.equal(backlog.position, 104);
  assert.equal(backlog.settledThrough, 101);
  save();
  assert.equal(backlog.settledThrough, 104);
});

test('a delivery that succeeds before its row is saved is settled', () => {
  const { backlog, read, start, fail } = openBacklog();
  read(101, delivery(101, 'a'));
  fail(start('new'));
  assert.equal(backlog.settledThrough, 100);
  backlog.lanes.promoteDue(NOW + 1000);
  backlog.finish(start('due'), NOW + 1000);
  assert.equal(backlog.settledThrough, 101);
});

test('deletes the row of a delivery that succeeds on a retry', () => {
  const { backlog, read, start, fail } = openBacklog();
  read(101, delivery(101, 'a'));
  fail(start('new'));
  backlog.changes.take().commit();
  backlog.lanes.promoteDue(NOW + 1000);
  backlog.finish(start('due'), NOW + 1000);
  assert.deepEqual(backlog.changes.take().removed, [101]);
  assert.deepEqual(backlog.totals, NONE);
});

test('parks a delivery after three days and continues with the next delivery of the lane', () => {
  const { backlog, read, start, fail } = openBacklog();
  read(102, delivery(101, 'a'), delivery(102, 'a'));
  fail(start('new'));
  backlog.lanes.promoteDue(NOW + PARK_AFTER_MS);
  const retried = start('due');
  fail(retried, NOW + PARK_AFTER_MS);
  assert.equal(retried.item.state, 'parked');
  const { waiting, parked } = backlog.totals;
  assert.deepEqual({ waiting, parked }, { waiting: 1, parked: 1 });
  assert.equal(start('due').item.position, 102);
});

test('releases the text of a delivery when the delivery finishes or its row is stored', () => {
  const { backlog, capacity, read, start, fail } = openBacklog();
  const [one, other] = [delivery(101, 'a', 1000), delivery(102, 'b', 1000)];
  read(102, one, other);
  assert.equal(capacity.textBytes, one.bytes + other.bytes);
  backlog.finish(start('new'), NOW);
  assert.equal(capacity.textBytes, other.bytes);
  fail(start('new'));
  assert.notEqual(other.text, null, 'the text is needed for the row');
  const { added, commit } = backlog.changes.take();
  commit();
  backlog.onSaved({ added, changed: [], discarded: [] });
  assert.equal(other.text, null);
  assert.equal(capacity.textBytes, 0);
});

test('close releases the shared capacity once', () => {
  const { backlog, capacity, read, start } = openBacklog();
  read(101, delivery(101, 'a', 1000));
  backlog.close();
  backlog.close();
  backlog.finish(start('new'), NOW);
  assert.equal(capacity.textBytes, 0);
});

test('reading stops when unfinished deliveries, text bytes or rows reach their limit', () => {
  const many = openBacklog();
  many.read(9000, ...Array.from({ length: 4096 }, (_, index) => delivery(101 + index, 'a')));
  assert.ok(!many.backlog.hasCapacity);
  many.backlog.finish(many.start('new'), NOW);
  assert.ok(many.backlog.hasCapacity);

  const long = openBacklog();
  long.read(101, delivery(101, 'a', 8 * 1024 * 1024));
  assert.ok(!long.backlog.hasCapacity);

  const rows = { waiting: 1, parked: MAX_ROWS - 1, bytes: 0 };
  assert.ok(isOverRowLimit(rows) && !openBacklog({ totals: rows }).backlog.hasCapacity);
});

test('a backlog may contain one event even if the shared memory is full', () => {
  const { backlog, capacity, read } = openBacklog();
  capacity.textBytes = 64 * 1024 * 1024;
  assert.ok(backlog.hasCapacity);
  read(101, delivery(101, 'a'));
  assert.ok(!backlog.hasCapacity);
});

test('sync removes deleted deliveries, reschedules changed deliveries and adds resent deliveries', () => {
  const waiting = [storedRow(1, 'a'), storedRow(2, 'b')];
  const { backlog, start, sync } = openBacklog({
    waiting,
    totals: { waiting: 2, parked: 1, bytes: 30 },
  });
  const before = [...backlog.lanes.stored()];
  const rows = [
    { ...storedRow(2, 'b'), next_attempt_at: NOW },
    { ...storedRow(3, 'c'), resent: 1, next_attempt_at: NOW },
  ];
  sync(before, { waiting: 2, parked: 0, bytes: 20 }, rows);
  assert.deepEqual(positionsOf([start('due').item, start('due').item]), [2, 3]);
  assert.equal(backlog.lanes.start('due'), undefined);
  assert.deepEqual(backlog.totals, { waiting: 2, parked: 0, bytes: 20 });
});

test('sync does not resend a delivery that finished after the checkpoint', () => {
  const { backlog, start, sync } = openBacklog({ waiting: [storedRow(1, 'a')] });
  const before = [...backlog.lanes.stored()];
  backlog.lanes.promoteDue(NOW + 60_000);
  backlog.finish(start('due'), NOW + 60_000);
  sync(before.slice(1), { waiting: 1, parked: 0, bytes: 10 }, [storedRow(1, 'a')]);
  assert.deepEqual([...backlog.lanes.stored()], []);
});

test('sync does not advance the retry of an attempt that failed after the rows were read', () => {
  const row = { ...storedRow(1, 'a'), next_attempt_at: NOW };
  const { backlog, start, fail, sync } = openBacklog({ waiting: [row] });
  const attempted = start('due');
  const before = [...backlog.lanes.stored()];
  fail(attempted);
  const { nextAttemptAt } = attempted.item;
  sync(before, NONE, [row]);
  assert.equal(attempted.item.nextAttemptAt, nextAttemptAt);
  assert.equal(backlog.lanes.start('due'), undefined);
});

test('the totals still include unsaved changes after sync', () => {
  const waiting = [storedRow(1, 'a')];
  const { backlog, read, start, fail, sync } = openBacklog({
    waiting,
    totals: { waiting: 1, parked: 1, bytes: 20 },
  });
  backlog.snapshot();
  const item = delivery(101, 'b');
  read(101, item);
  fail(start('new'));
  backlog.onSaved({ added: [], changed: [], discarded: [] });
  // Another process deleted the parked delivery.
  const before = [...backlog.lanes.stored()];
  sync(before, { waiting: 1, parked: 0, bytes: 10 }, waiting);
  assert.deepEqual(backlog.totals, { waiting: 2, parked: 0, bytes: 10 + item.bytes });
});
