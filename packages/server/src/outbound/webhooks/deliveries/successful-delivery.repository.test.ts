import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../tests/support/until.ts';
import { createTarget, openDispatch, status } from '../dispatch/dispatch.suite.ts';
import type { SubscriptionKey } from './delivery.repository.ts';
import { MAX_DELIVERED, MAX_DELIVERED_SIZE } from './successful-delivery.repository.ts';
import type { SuccessfulDelivery } from './successful-delivery.ts';

const delivery = (sequence: number, bytes: number): SuccessfulDelivery => ({
  sequence,
  position: sequence,
  event_id: `${sequence}`,
  source: 'urn:a',
  type: 't',
  subject: null,
  received_at: 1,
  waiting_since: 1,
  delivered_at: sequence,
  attempts: 1,
  status: 204,
  bytes,
  attempt_log: '[]',
});

async function opened() {
  const dispatch = await openDispatch({ sender: createTarget().sender });
  const { save, successful } = dispatch.deps;
  const add = (key: SubscriptionKey, delivered: readonly SuccessfulDelivery[]) => {
    const rows = { added: [], changed: [], removed: [], discarded: [], delivered };
    const subscription = { position: 0, lastDeliveredAt: null, lastFailure: null, replay: null };
    return save(key, { ...subscription, ...rows, now: 1 }, []);
  };
  const sequences = async (key: SubscriptionKey, since = 0) =>
    (await successful.list(key, null, since, 20_000)).map(({ sequence }) => sequence);
  return { dispatch, successful, add, sequences };
}

test('a checkpoint of a deleted subscription stores nothing and does not fail', async () => {
  const { dispatch, add, sequences } = await opened();
  await using _ = dispatch;
  const key = await dispatch.subscribe();
  await add(key, [delivery(1, 10)]);
  await dispatch.store.db
    .deleteFrom('subscriptions')
    .where('id', '=', key.subscriptionId)
    .execute();
  await add(key, [delivery(2, 10)]);
  assert.deepEqual(await sequences(key), []);
});

const NEVER = new AbortController().signal;

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('trims the oldest deliveries of one subscription above the maximum number or size', async () => {
  const { dispatch, successful, add, sequences } = await opened();
  await using _ = dispatch;
  const [many, large, other] = [
    await dispatch.subscribe(),
    await dispatch.subscribe(),
    await dispatch.subscribe(),
  ];
  const rows = numbers(1, MAX_DELIVERED + 1).map((sequence) => delivery(sequence, 10));
  await add(many, rows);
  await add(other, [delivery(1, 10)]);
  const half = MAX_DELIVERED_SIZE / 2;
  await add(large, [delivery(1, 1), delivery(2, half), delivery(3, half)]);
  for (const key of [many, large, other]) await successful.trim(key);
  assert.deepEqual(await sequences(many), numbers(2, MAX_DELIVERED + 1).toReversed());
  assert.deepEqual(await sequences(large), [3, 2]);
  assert.deepEqual(await sequences(other), [1]);
});

test('removes old deliveries of all subscriptions, also when a write is repeated', async () => {
  const { dispatch, successful, add, sequences } = await opened();
  await using _ = dispatch;
  const key = await dispatch.subscribe();
  const rows = numbers(1, 2500).map((sequence) => delivery(sequence, 10));
  await add(key, rows);
  await add(key, rows);
  assert.deepEqual(await sequences(key, 2000), numbers(2000, 2500).toReversed());
  await successful.removeBefore(2400, NEVER);
  assert.deepEqual(await sequences(key), numbers(2400, 2500).toReversed());
});

test('removes more deliveries of the same millisecond than one statement removes', async () => {
  const { dispatch, successful, add, sequences } = await opened();
  await using _ = dispatch;
  const key = await dispatch.subscribe();
  const at = (sequence: number, time: number) => ({
    ...delivery(sequence, 10),
    delivered_at: time,
  });
  const old = numbers(1, 2500).map((sequence) => at(sequence, 100));
  await add(key, [...old, at(2501, 101), at(2502, 200), at(2503, 300)]);
  await successful.removeBefore(100, NEVER);
  assert.equal((await sequences(key)).length, 2503);
  await successful.removeBefore(200, AbortSignal.abort());
  assert.equal((await sequences(key)).length, 2503);
  await successful.removeBefore(200, NEVER);
  assert.deepEqual(await sequences(key), [2503, 2502]);
});

test('stores responses encrypted', async () => {
  const body = { bytes: Buffer.from('echoed marker'), isCut: false };
  const target = createTarget(({ id }) => ({ ...status(id === '1' ? 500 : 200), body }));
  await using dispatch = await openDispatch({ sender: target.sender });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  await dispatch.append({ id: '1', subject: 'a' }, { id: '2', subject: 'b' });
  const waiting = () => dispatch.deliveries.list(key, 'waiting', null, 10);
  const delivered = () => dispatch.deps.successful.list(key, null, 0, 10);
  await until('one waits', async () => (await waiting()).length === 1);
  await until('one is delivered', async () => (await delivered()).length === 1);
  for (const { attempt_log } of [...(await waiting()), ...(await delivered())]) {
    assert.match(attempt_log, /"response":"s1\./);
    assert.ok(!attempt_log.includes('marker'));
  }
});
