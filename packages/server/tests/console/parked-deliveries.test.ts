import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openChatService } from '../support/assistant/chat-service.ts';
import { browserOfThisFile, skip } from '../support/browser/browser.ts';
import { assertAccessible, openConsole, signInToConsole } from '../support/browser/console.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { makeKey } from '../support/provision.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

// The broker does not exist.
const env = { ...ALLOW_RECEIVERS, GATEHOUSE_NATS_URL: 'nats://127.0.0.1:1' };
const service = await openChatService({ env });
after(() => service[Symbol.asyncDispose]());
const browser = browserOfThisFile();

test('an operator retries and discards parked deliveries, and sees that a sink is behind', {
  skip,
}, async (t) => {
  const { client, session, space } = service;
  await using receiver = await startReceiver();
  receiver.behave(() => ({ status: 500 }));
  const key = await makeKey(client, session, space.id);
  const { subscribe, show } = subscribingIn(client, session, space.id);
  const { id } = await subscribe({ url: receiver.url });
  const events = ['a', 'b', 'c'].map((name) => makeEvent({ id: name, subject: name }));
  await ingest(client, { as: key, body: { events } });
  await until('all attempts failed', () => receiver.received.length >= 3);
  await until('all deliveries wait', async () => (await show(id)).waiting === 3);
  service.skew += 3 * DAY + HOUR;
  await until('all deliveries are parked', async () => (await show(id)).parked === 3);
  const path = `${service.url}/console/spaces/${space.id}`;
  const { page, assertClean } = await openConsole(t, browser, `${path}/subscriptions/${id}`);
  await signInToConsole(page);
  await page.getByLabel('State').selectOption('Parked');
  await page.getByRole('button', { name: 'Retry all 3 parked deliveries' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Discard b' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Retry all 2 parked deliveries' }).waitFor();
  receiver.behave(() => ({ status: 204 }));
  await page.getByRole('button', { name: 'Retry now a' }).click();
  await until('the delivery succeeds', () => receiver.taken().length === 1);
  assert.deepEqual(receiver.taken(), ['a']);
  await page.getByRole('button', { name: 'Retry 1 parked delivery' }).click();
  await page.getByText('No delivery is parked').waitFor();
  await until('the other delivery succeeds', () => receiver.taken().length === 2);
  assert.deepEqual(receiver.taken(), ['a', 'c']);
  await page.getByRole('link', { name: 'Sinks' }).click();
  await page.getByRole('row', { name: /NATS JetStream behind 3 events/ }).waitFor();
  await assertAccessible(page);
  assertClean();
});
