import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../tests/support/until.ts';
import type { WebhookSender } from '../sending/webhook-sender.ts';
import { createTarget, openDispatch, status } from './dispatch.suite.ts';

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
