import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../tests/support/until.ts';
import type { WebhookSender } from '../sending/webhook-sender.ts';
import { createTarget, openDispatch, status } from './dispatch.suite.ts';

test('an attempt that throws is reported, and its delivery is retried like a failed one', async () => {
  const target = createTarget();
  let isBroken = true;
  const sender: WebhookSender = {
    ...target.sender,
    open: (url) => {
      const { post, close } = target.sender.open(url);
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
  await until('both wait', async () => (await dispatch.deliveries.totals(key)).waiting === 2);
  const [event] = dispatch.events;
  assert.ok(event?.kind === 'failure' && event.subscription?.subscriptionId === key.subscriptionId);
  isBroken = false;
  dispatch.clock.now += 1000;
  await until('both are delivered', () => target.arrivals.length === 2);
  assert.deepEqual(target.ids(), ['1', '2']);
});
test('a target that fails for long gets single probes, and leaves later events in the log', async () => {
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
  await until('it is failing', async () => (await waiting()) >= 20);
  // The clock stands still, so there is no probe. 64 attempts were in flight at most.
  assert.ok(target.arrivals.length <= 20 + 64, `${target.arrivals.length} attempts`);
  target.answer = () => status(204);
  await until('all are delivered', async () => {
    dispatch.clock.now += 10_000;
    return new Set(target.ids()).size === 200 && (await waiting()) === 0;
  });
});

test('an outbox that is closed aborts its attempts, and the next one repeats them', async () => {
  const target = createTarget(() => new Promise(() => {}));
  await using dispatch = await openDispatch({ sender: target.sender });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  await dispatch.append({ id: '1' });
  await until('it is in flight', () => target.arrivals.length === 1);
  target.answer = () => status(204);
  await dispatch.dispatcher.reload(key);
  await until('it is repeated', () => target.arrivals.length === 2);
  assert.deepEqual(target.ids(), ['1', '1']);
});

test('an event whose row was deleted elsewhere is not sent, and its lane goes on', async () => {
  const target = createTarget(() => status(500));
  await using dispatch = await openDispatch({ sender: target.sender });
  const key = await dispatch.subscribe();
  await dispatch.dispatcher.start();
  await dispatch.append({ id: '1' }, { id: '2' });
  await until('both wait', async () => (await dispatch.deliveries.totals(key)).waiting === 2);
  const [first] = await dispatch.deliveries.waiting(key);
  await dispatch.deliveries.remove(key, first?.position ?? 0);
  target.answer = () => status(204);
  dispatch.clock.now += 1000;
  await until('the other one is delivered', () => target.ids().includes('2'));
  await until('no row is left', async () => (await dispatch.deliveries.totals(key)).waiting === 0);
  assert.deepEqual(target.ids(), ['1', '2']);
});
