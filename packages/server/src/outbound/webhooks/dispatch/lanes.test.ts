import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDelivery, type PendingDelivery } from '../deliveries/pending-delivery.ts';
import { type LaneItem, Lanes } from './lanes.ts';

const NOW = 1_792_318_200_000;

function delivery(position: number, subject: string): PendingDelivery {
  const text = JSON.stringify({ id: `${position}`, source: 'urn:a', type: 't', subject });
  return newDelivery({ position, receivedAt: 1, text });
}

function waiting(position: number, subject: string, nextAttemptAt: number): PendingDelivery {
  return { ...delivery(position, subject), row: 'stored', nextAttemptAt, lastAttemptAt: NOW };
}

function lanesOf(...items: PendingDelivery[]): Lanes {
  const lanes = new Lanes();
  for (const item of items) lanes.add(item, NOW);
  return lanes;
}

function startAll(lanes: Lanes, which: 'new' | 'due'): number[] {
  const started: number[] = [];
  for (let next = lanes.start(which); next !== undefined; next = lanes.start(which))
    started.push(next.item.position);
  return started;
}

function start(lanes: Lanes, which: 'new' | 'due'): LaneItem {
  const started = lanes.start(which);
  assert.ok(started !== undefined);
  return started;
}

test('lanes run concurrently, and the deliveries of one lane run sequentially', () => {
  const lanes = lanesOf(delivery(1, 'a'), delivery(2, 'b'), delivery(3, 'a'));
  assert.equal(lanes.ready, 2);
  const first = start(lanes, 'new');
  assert.deepEqual(startAll(lanes, 'new'), [2]);
  lanes.finish(first.lane, NOW);
  assert.deepEqual(startAll(lanes, 'new'), [3]);
  assert.equal(lanes.ready, 0);
});

for (const [name, difference] of [
  ['two minutes', 120_000],
  ['two hours', 7_200_000],
  ['a year', 365 * 86_400_000],
] as const)
  test(`deliveries that became waiting while the clock was ${name} ahead are due when the clock is correct again`, () => {
    const ahead = NOW + difference;
    const failed = { ...waiting(1, 'a', ahead + 1000), lastAttemptAt: ahead };
    const neverSent = { ...waiting(2, 'b', ahead + 1000), lastAttemptAt: null };
    const lanes = new Lanes();
    for (const item of [failed, neverSent]) lanes.add(item, ahead);
    lanes.promoteDue(ahead);
    assert.deepEqual(startAll(lanes, 'due'), []);
    lanes.promoteDue(NOW);
    assert.deepEqual(startAll(lanes, 'due'), [1, 2]);

    const restarted = new Lanes();
    for (const item of [failed, neverSent]) restarted.add(item, NOW);
    assert.deepEqual(startAll(restarted, 'due'), [1, 2]);
  });

test('a small correction of the clock does not shorten the delay of a retry', () => {
  const lanes = lanesOf(waiting(1, 'a', NOW + 1000));
  for (const now of [NOW, NOW - 10_000, NOW + 999]) lanes.promoteDue(now);
  assert.equal(lanes.ready, 0);
  lanes.promoteDue(NOW + 1000);
  assert.equal(lanes.ready, 1);
});

test('a failed delivery holds back its lane until it is due', () => {
  const lanes = lanesOf(delivery(1, 'a'), delivery(2, 'a'));
  const failed = start(lanes, 'new');
  failed.item.row = 'unsaved';
  failed.item.nextAttemptAt = NOW + 1000;
  lanes.retry(failed.lane, NOW);
  assert.ok(lanes.hasRows(failed.lane.key));
  lanes.promoteDue(NOW + 999);
  assert.equal(lanes.ready, 0);
  lanes.promoteDue(NOW + 1000);
  assert.deepEqual(startAll(lanes, 'due'), [1]);
});

test('a waiting lane becomes due at its retry time', () => {
  const lanes = lanesOf(
    waiting(1, 'a', NOW + 3000),
    waiting(2, 'b', NOW + 1000),
    waiting(3, 'c', NOW),
  );
  assert.deepEqual(startAll(lanes, 'due'), [3]);
  lanes.promoteDue(NOW + 1000);
  assert.deepEqual(startAll(lanes, 'due'), [2]);
  lanes.promoteDue(NOW + 3000);
  assert.deepEqual(startAll(lanes, 'due'), [1]);
});

test('inserts a delivery once, in position order, but never before the delivery in flight', () => {
  const lanes = lanesOf(waiting(5, 'a', NOW));
  const inFlight = start(lanes, 'due');
  for (const position of [7, 3, 7, 5, 6]) lanes.add(waiting(position, 'a', NOW), NOW);
  assert.deepEqual(
    inFlight.lane.items.map(({ position }) => position),
    [5, 3, 6, 7],
  );
});

test('the first delivery determines when its lane is due', () => {
  const lanes = lanesOf(waiting(2, 'a', NOW + 1000));
  lanes.add(waiting(1, 'a', NOW), NOW);
  assert.deepEqual(startAll(lanes, 'due'), [1]);
});

test('a resent delivery has a separate lane', () => {
  const row = { ...delivery(1, 'a'), resent: 1 };
  const lanes = lanesOf(delivery(2, 'a'), { ...row, key: `${row.key} again`, row: 'stored' });
  assert.equal(lanes.ready, 2);
});

test('retrySoon spreads the retries over the given time and respects Retry-After', () => {
  const lanes = lanesOf(waiting(1, 'a', NOW + 3_600_000), waiting(2, 'b', NOW + 100), {
    ...waiting(3, 'c', NOW + 3_600_000),
    notBefore: NOW + 60_000,
  });
  lanes.retrySoon(NOW, 10_000, () => 0.5);
  lanes.promoteDue(NOW + 100);
  assert.deepEqual(startAll(lanes, 'due'), [2]);
  lanes.promoteDue(NOW + 5000);
  assert.deepEqual(startAll(lanes, 'due'), [1]);
  lanes.promoteDue(NOW + 59_999);
  assert.equal(lanes.ready, 0);
  lanes.promoteDue(NOW + 60_000);
  assert.deepEqual(startAll(lanes, 'due'), [3]);
});

test('retryAt moves a retry only to an earlier time', () => {
  const lanes = lanesOf(waiting(1, 'a', NOW + 1000));
  const [known] = [...lanes.stored()];
  assert.ok(known !== undefined);
  lanes.retryAt(known, NOW + 2000, NOW);
  assert.equal(known.item.nextAttemptAt, NOW + 1000);
  lanes.retryAt(known, NOW, NOW);
  assert.deepEqual(startAll(lanes, 'due'), [1]);
});

test('removes a deleted delivery, or marks it if it is in flight', () => {
  const lanes = lanesOf(waiting(1, 'a', NOW + 1000), waiting(2, 'a', NOW));
  const [first] = [...lanes.stored()];
  assert.ok(first !== undefined);
  lanes.remove(first, NOW);
  const second = start(lanes, 'due');
  assert.equal(second.item.position, 2);
  lanes.remove(second, NOW);
  assert.ok(second.item.deleted);
  lanes.finish(second.lane, NOW);
  assert.deepEqual([...lanes.stored()], []);
  assert.ok(!lanes.hasRows(second.lane.key));
});
