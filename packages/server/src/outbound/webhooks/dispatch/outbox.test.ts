import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../tests/support/until.ts';
import type { WebhookSender } from '../sending/webhook-sender.ts';
import { createTarget, openDispatch } from './dispatch.suite.ts';

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
