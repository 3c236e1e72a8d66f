import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { until } from '../../../../tests/support/until.ts';
import { createSaveCheckpoint, type SaveCheckpoint } from '../deliveries/checkpoint.repository.ts';
import type { SuccessfulDeliveryRepository } from '../deliveries/successful-delivery.repository.ts';
import { createReplayRepository } from '../replays/replay.repository.ts';
import type { WebhookSender } from '../sending/webhook-sender.ts';
import { ACCESS, createTarget, openDispatch, SPACE, status } from './dispatch.suite.ts';
import { PARK_AFTER_MS } from './retry.rules.ts';

test('reports an attempt that throws and retries its delivery', async () => {
  const target = createTarget();
  let isBroken = true;
  const sender: WebhookSender = {
    ...target.sender,
    open: (url, spaceId) => {
      const { post, close } = target.sender.open(url, spaceId);
      return {
        post: (message) => (isBroken ? Promise.reject(new Error('broken')) : post(message)),
        close,
      };
    },
  };
  await using dispatch = await openDispatch({ sender });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  await dispatch.append({ id: '1', subject: 'a' }, { id: '2', subject: 'a' });
  await until(
    'both deliveries wait',
    async () => (await dispatch.deliveries.totals(key)).waiting === 2,
  );
  const [event] = dispatch.events;
  assert.ok(event?.kind === 'failure' && event.subscription?.subscriptionId === key.subscriptionId);
  isBroken = false;
  dispatch.clock.now += 1000;
  await until('both events are delivered', () => target.arrivals.length === 2);
  assert.deepEqual(target.ids(), ['1', '2']);
});

test('a failure of background work names only the subscription, not the state of its outbox', async () => {
  const target = createTarget();
  const successful: SuccessfulDeliveryRepository = {
    list: async () => [],
    find: async () => undefined,
    removeBefore: async () => {},
    trim: () => Promise.reject(new Error('broken')),
  };
  await using dispatch = await openDispatch({ sender: target.sender, successful });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  await dispatch.append({ id: '1' });
  await until('the failure is reported', () => dispatch.events.length > 0);
  assert.deepEqual(
    dispatch.events.map(({ subscription }) => subscription),
    [key],
  );
});

test('a failing target gets single probes, and later events stay in the log', async () => {
  const target = createTarget(() => status(500));
  await using dispatch = await openDispatch({ sender: target.sender, random: () => 0 });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  const events = Array.from({ length: 200 }, (_, index) => ({
    id: `${index}`,
    subject: `${index}`,
  }));
  await dispatch.append(...events);
  const waiting = async () => (await dispatch.deliveries.totals(key)).waiting;
  await until('the target is failing', async () => (await waiting()) >= 20);
  // The clock is stopped, so there is no probe. At most 64 attempts were in flight.
  assert.ok(target.arrivals.length <= 20 + 64, `${target.arrivals.length} attempts`);
  target.answer = () => status(204);
  await until('all events are delivered', async () => {
    dispatch.clock.now += 10_000;
    return new Set(target.ids()).size === 200 && (await waiting()) === 0;
  });
});

test('closing an outbox aborts its attempts, and the next outbox repeats them', async () => {
  const target = createTarget(() => new Promise(() => {}));
  await using dispatch = await openDispatch({ sender: target.sender });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  await dispatch.append({ id: '1' });
  await until('the attempt is in flight', () => target.arrivals.length === 1);
  target.answer = () => status(204);
  await dispatch.dispatcher.reload(key);
  await until('the attempt is repeated', () => target.arrivals.length === 2);
  assert.deepEqual(target.ids(), ['1', '1']);
});

test('deliveries after an unfinished delivery keep their attempts and count once after a reload', async () => {
  const slow = Promise.withResolvers<void>();
  const target = createTarget(async ({ id }) => {
    if (id === 'slow') await slow.promise;
    return status(id === 'slow' ? 204 : 500);
  });
  await using dispatch = await openDispatch({ sender: target.sender, random: () => 0 });
  const { clock, deliveries, dispatcher } = dispatch;
  const key = await dispatch.subscribe();
  await dispatcher.start();
  const rows = async () => {
    const all = await deliveries.list(key, null, null, 10);
    return all.map(({ event_id, state, attempts, attempt_log }) => ({
      id: event_id,
      state,
      attempts,
      logged: JSON.parse(attempt_log).length,
    }));
  };
  const hasAttempts = async (id: string, attempts: number) =>
    (await rows()).some((row) => row.id === id && row.attempts === attempts);
  await dispatch.append({ id: 'slow', subject: 'a' }, { id: 'parked', subject: 'b' });
  await until('an attempt failed', () => hasAttempts('parked', 1));
  clock.now += PARK_AFTER_MS;
  await until('the delivery is parked', () => hasAttempts('parked', 2));
  await dispatch.append({ id: 'waiting', subject: 'c' });
  await until('another attempt failed', () => hasAttempts('waiting', 1));

  await dispatcher.reload(key);
  const arrivals = () => target.ids().filter((id) => id === 'slow').length;
  await until('the log is read again', () => arrivals() === 2);
  slow.resolve();
  await until('all events are finished or stored', async () => {
    const row = await dispatch.subscriptions.find(ACCESS, key.subscriptionId);
    return row?.position === (await dispatch.store.events.heads()).get(SPACE);
  });
  assert.deepEqual(await rows(), [
    { id: 'parked', state: 'parked', attempts: 2, logged: 2 },
    { id: 'waiting', state: 'waiting', attempts: 1, logged: 1 },
  ]);
  assert.deepEqual(dispatcher.totals(), { waiting: 1, parked: 1 });
});

test('a discarded delivery is not sent when the log is read again', async () => {
  const slow = Promise.withResolvers<void>();
  const target = createTarget(async ({ id }) => {
    if (id === 'slow') await slow.promise;
    return status(id === 'slow' ? 204 : 500);
  });
  await using dispatch = await openDispatch({ sender: target.sender });
  const { deliveries, dispatcher, store } = dispatch;
  const key = await dispatch.subscribe();
  await dispatcher.start();
  await dispatch.append(
    { id: 'slow', subject: 'a' },
    { id: 'one', subject: 'b' },
    { id: 'other', subject: 'c' },
  );
  const totals = () => deliveries.totals(key);
  await until('two deliveries wait', async () => (await totals()).waiting === 2);
  const [one, other] = await deliveries.waiting(key);
  await deliveries.remove(key, one?.position ?? 0);
  await dispatcher.sync(key, one?.position ?? 0);
  await deliveries.remove(key, other?.position ?? 0);
  assert.equal(await deliveries.find(key, other?.position ?? 0), undefined);
  assert.equal(await deliveries.remove(key, other?.position ?? 0), false);
  assert.deepEqual(await deliveries.list(key, null, null, 10), []);
  assert.deepEqual(await totals(), { waiting: 0, parked: 0, bytes: 0 });

  await dispatcher.reload(key);
  const isSlow = (id: string) => id === 'slow';
  await until('the log is read again', () => target.ids().filter(isSlow).length === 2);
  assert.deepEqual(dispatcher.totals(), { waiting: 0, parked: 0 });
  slow.resolve();
  await until('all events are finished', async () => {
    const row = await dispatch.subscriptions.find(ACCESS, key.subscriptionId);
    return row?.position === (await store.events.heads()).get(SPACE);
  });
  assert.deepEqual(target.ids(), ['slow', 'one', 'other', 'slow']);
  assert.deepEqual(await store.db.selectFrom('deliveries').select('position').execute(), []);
});

for (const [outcome, delay] of [
  ['scheduled its next attempt', 1000],
  ['parked it', PARK_AFTER_MS],
] as const)
  test(`retries a delivery at once even if an unsaved failure has ${outcome}`, async () => {
    const target = createTarget(() => status(500));
    let mayWrite: Promise<void> = Promise.resolve();
    let saveToStore: SaveCheckpoint;
    const save: SaveCheckpoint = async (...args) => {
      await mayWrite;
      await saveToStore(...args);
    };
    await using dispatch = await openDispatch({ sender: target.sender, save, random: () => 0 });
    const { clock, deliveries, dispatcher, store } = dispatch;
    saveToStore = createSaveCheckpoint(store.db, store.writeAtomically);
    const key = await dispatch.subscribe();
    await dispatcher.start();
    await dispatch.append({ id: '1' });
    const totals = () => deliveries.totals(key);
    await until('the delivery waits', async () => (await totals()).waiting === 1);
    const gate = Promise.withResolvers<void>();
    mayWrite = gate.promise;
    clock.now += delay;
    await until('the second attempt fails', () => target.arrivals.length === 2);
    const [row] = await deliveries.waiting(key);
    clock.now += 1;
    target.answer = () => status(204);
    await deliveries.retryNow(key, row?.position ?? 0, clock.now);
    const synchronised = dispatcher.sync(key, row?.position ?? 0);
    gate.resolve();
    await synchronised;
    await until('the delivery is sent', () => target.arrivals.length === 3, 20_000);
    await until('no delivery waits', async () => (await totals()).waiting === 0);
    assert.deepEqual(dispatcher.totals(), { waiting: 0, parked: 0 });
    const [delivered] = await dispatch.deps.successful.list(key, null, 0, 1);
    assert.equal(JSON.parse(delivered?.attempt_log ?? '[]').length, 3);
  });

test('the text of a delivery is read once per second while it cannot be read, even if the clock was set back', async () => {
  const target = createTarget(() => status(500));
  await using dispatch = await openDispatch({ sender: target.sender });
  const { clock, deliveries, dispatcher } = dispatch;
  const { texts } = deliveries;
  const key = await dispatch.subscribe();
  await dispatcher.start();
  await dispatch.append({ id: '1' });
  await until('the delivery waits', async () => (await deliveries.totals(key)).waiting === 1);
  let reads = 0;
  const readNothing = () => {
    reads += 1;
    return Promise.reject(new Error('not readable'));
  };
  Object.assign(deliveries, { texts: readNothing });
  clock.now -= 3_600_000;
  // The new outbox has no text in memory.
  await dispatcher.reload(key);
  await until('the text is read', () => reads > 0);
  await setTimeout(100);
  assert.equal(reads, 1);
  Object.assign(deliveries, { texts });
  target.answer = () => status(204);
  clock.now += 1000;
  await until('the event is delivered', () => target.arrivals.length === 2);
});

test('does not send an event whose row another process deleted, and continues with the lane', async () => {
  const target = createTarget(() => status(500));
  await using dispatch = await openDispatch({ sender: target.sender });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  await dispatch.append({ id: '1' }, { id: '2' });
  await until(
    'both deliveries wait',
    async () => (await dispatch.deliveries.totals(key)).waiting === 2,
  );
  const [first] = await dispatch.deliveries.waiting(key);
  await dispatch.deliveries.remove(key, first?.position ?? 0);
  target.answer = () => status(204);
  dispatch.clock.now += 1000;
  await until('the second event is delivered', () => target.ids().includes('2'));
  await until(
    'no delivery waits',
    async () => (await dispatch.deliveries.totals(key)).waiting === 0,
  );
  assert.deepEqual(target.ids(), ['1', '2']);
});

test('a replay resends a parked delivery even if a checkpoint fails when it is unparked', async () => {
  const target = createTarget(() => status(500));
  let mustFail = false;
  let failures = 0;
  let saveToStore: SaveCheckpoint;
  const save: SaveCheckpoint = async (...args) => {
    if (!mustFail) return saveToStore(...args);
    mustFail = false;
    failures += 1;
    throw new Error('not written');
  };
  await using dispatch = await openDispatch({ sender: target.sender, save });
  const { clock, deliveries, dispatcher, store, subscriptions } = dispatch;
  saveToStore = createSaveCheckpoint(store.db, store.writeAtomically);
  const key = await dispatch.subscribe();
  await subscriptions.change(ACCESS, key.subscriptionId, { types: '["order.placed"]' }, null);
  await dispatcher.start();
  await dispatch.append({ id: '1' });
  await until('the delivery waits', async () => (await deliveries.totals(key)).waiting === 1);
  clock.now += PARK_AFTER_MS;
  await until('the delivery is parked', async () => (await deliveries.totals(key)).parked === 1);
  const { through } = await store.events.read({ spaceId: SPACE, after: 0, limit: 1 });
  dispatcher.remove(key);
  // The position advances past this event, so the checkpoint before the synchronisation is written.
  await dispatch.append({ id: '2', type: 'order.changed' });
  const replay = { from: 0, position: 0, through, now: clock.now };
  await createReplayRepository(store.db).start(key, replay);
  target.answer = () => status(204);
  mustFail = true;
  await dispatcher.reload(key);
  await until('the replay is finished', async () => {
    const row = await subscriptions.find(ACCESS, key.subscriptionId);
    return row?.replay_state === 'finished';
  });
  await until('no delivery waits', async () => (await deliveries.totals(key)).waiting === 0);
  assert.equal(failures, 1);
  assert.deepEqual(target.ids(), ['1', '1', '1']);
});
