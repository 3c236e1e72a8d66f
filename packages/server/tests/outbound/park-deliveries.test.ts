import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openChatService } from '../support/assistant/chat-service.ts';
import { ingest, makeEvent, type SentEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, type Receiver, verify } from '../support/events/receiver.ts';
import { newSubscribingSpace } from '../support/events/subscribing.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const service = await openChatService({ env: ALLOW_RECEIVERS });
after(() => service[Symbol.asyncDispose]());
const { client } = service;

async function newSpace() {
  // Other tests move the clock by more than the lifetime of the session, so each test resets the clock.
  service.skew = 0;
  const space = await newSubscribingSpace(client, service.session);
  const send = (...ids: string[]) => {
    const events = ids.map((one) => makeEvent({ id: one, subject: one.slice(0, 1) }));
    return ingest(client, { as: space.key, body: { events } });
  };
  return { ...space, send };
}

const tries = ({ received }: Receiver, id: string) =>
  received.filter(({ event }) => event['id'] === id).length;

const scrape = async () => (await client('/metrics')).text;

test('parks a delivery after three days of failures and sends the next event', async () => {
  const { receiver, send, subscribe, deliveries, show } = await newSpace();
  const { id, secret } = await subscribe({ url: receiver.url });
  receiver.behave(({ event }) => ({ status: event['id'] === 'a1' ? 500 : 200 }));
  await send('a1', 'a2');
  await until('the first attempt was made', () => tries(receiver, 'a1') > 0);
  await until('both deliveries wait', async () => (await show(id)).waiting === 2);
  service.skew += DAY;
  await until('another attempt was made after a day', () => tries(receiver, 'a1') > 1);
  assert.equal((await show(id)).parked, 0);
  const overdue = () => service.logLines.filter((line) => line.includes('half an hour'));
  await until('the log names the subscription', () => overdue().length === 1);
  const { subscriptionId, reason } = JSON.parse(overdue()[0] ?? '{}');
  assert.deepEqual([subscriptionId, reason], [id, 'the target answered 500']);
  const [, wait] = /^gatehouse_deliveries_wait_seconds (.+)$/m.exec(await scrape()) ?? [];
  assert.ok(Number(wait) >= DAY / 1000, `${wait} s`);
  service.skew += 2 * DAY + HOUR;
  await until('the delivery is parked', async () => (await show(id)).parked === 1);
  await until('the next event has arrived', () => receiver.taken().includes('a2'));
  const [parked, ...others] = await deliveries(id, '&state=parked');
  assert.deepEqual(others, []);
  assert.ok(parked);
  assert.deepEqual([parked.eventId, parked.nextAttemptAt, parked.status], ['a1', null, 500]);
  assert.equal(parked.attempts, tries(receiver, 'a1'));
  for (const one of receiver.received) verify(one, secret);
  const logged = service.logLines.find((line) => line.includes('parked') && line.includes(id));
  assert.equal(JSON.parse(logged ?? '{}').reason, 'the target answered 500');
  const metrics = await scrape();
  for (const line of [
    /^gatehouse_deliveries_total\{outcome="delivered"\} 1$/m,
    /^gatehouse_deliveries_total\{outcome="failed"\} [3-9]/m,
    /^gatehouse_deliveries_total\{outcome="parked"\} 1$/m,
    /^gatehouse_deliveries_pending\{state="parked"\} 1$/m,
    /^gatehouse_deliveries_pending\{state="unread"\} 0$/m,
    /^gatehouse_deliveries_wait_seconds 0$/m,
  ])
    assert.match(metrics, line);
});

test('resends one or all parked deliveries in order without holding back other events', async () => {
  const { receiver, send, subscribe, ask, deliveries, show } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 503 }));
  await send('a1', 'a2', 'a3', 'b1');
  await until('all deliveries wait', async () => (await show(id)).waiting === 4);
  service.skew += 3 * DAY + HOUR;
  await until('all deliveries are parked', async () => (await show(id)).parked === 4);

  const all = await deliveries(id, '&state=parked');
  const b1 = all.find(({ eventId }) => eventId === 'b1');
  receiver.behave(({ event }) => ({ status: event['id'] === 'a1' ? 500 : 200 }));
  const resent = await ask('POST', `/${id}/deliveries/${b1?.id}/resend`);
  assert.deepEqual([resent.json['state'], resent.json['attempts']], ['waiting', 0]);
  await until('b1 has arrived', () => receiver.taken().includes('b1'));

  assert.deepEqual((await ask('POST', `/${id}/deliveries/resend`)).json, { count: 3 });
  await send('a4');
  await until('a4 has arrived before the resent deliveries', () => receiver.taken().includes('a4'));
  assert.deepEqual(receiver.taken(), ['b1', 'a4']);
  receiver.behave(() => ({ status: 200 }));
  service.skew += HOUR;
  await until('the other events have arrived', () => receiver.taken().length === 5);
  assert.deepEqual(receiver.taken(), ['b1', 'a4', 'a1', 'a2', 'a3']);
  await until('no deliveries remain', async () => (await deliveries(id)).length === 0);
  assert.deepEqual((await ask('POST', `/${id}/deliveries/resend`)).json, { count: 0 });
});

test('deletes a parked delivery', async () => {
  const { receiver, send, subscribe, ask, deliveries, show } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 400 }));
  await send('a1');
  await until('the delivery waits', async () => (await show(id)).waiting === 1);
  service.skew += 4 * DAY;
  await until('the delivery is parked', async () => (await show(id)).parked === 1);
  const [parked] = await deliveries(id);
  assert.equal((await ask('DELETE', `/${id}/deliveries/${parked?.id}`)).status, 204);
  assert.equal((await show(id)).parked, 0);
});

test('does not retry before the time in Retry-After', async () => {
  const { receiver, send, subscribe, deliveries, show } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 429, headers: { 'retry-after': '7200' } }));
  const before = Date.now() + service.skew;
  await send('a1');
  await until('the delivery waits', async () => (await show(id)).waiting === 1);
  const [waiting] = await deliveries(id);
  assert.ok(Date.parse(waiting?.nextAttemptAt ?? '') >= before + 2 * HOUR);
  receiver.behave(() => ({ status: 200 }));
  service.skew += HOUR + HOUR / 2;
  await send('b1');
  await until('an event of another subject has arrived', () => receiver.taken().includes('b1'));
  assert.deepEqual(receiver.taken(), ['b1']);
  service.skew += HOUR;
  await until('the event has arrived', () => receiver.taken().includes('a1'));
});

test('an outage of a target causes few stored deliveries and requests, and all events arrive afterwards', async () => {
  const { key, receiver, subscribe, show, ask } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 500 }));
  const events = Array.from({ length: 1000 }, (_, at) =>
    makeEvent({ id: String(at), subject: `s${at}` }),
  );
  for (let at = 0; at < events.length; at += 100)
    await ingest(client, { as: key, body: { events: events.slice(at, at + 100) } });
  await until('64 attempts have failed', () => receiver.received.length >= 64);
  assert.ok(new Set(receiver.received.map((one) => one.id)).size < 200);
  assert.ok((await show(id)).waiting < 200);
  assert.ok((await show(id)).lag > 500);
  const logged = () =>
    service.logLines.filter((line) => line.includes('last 20 attempts') && line.includes(id));
  await until('the log names the subscription', () => logged().length > 0);
  assert.deepEqual(
    logged().map((line) => JSON.parse(line).reason),
    ['the target answered 500'],
  );
  receiver.behave(() => ({ status: 200 }));
  await ask('PATCH', `/${id}`, { state: 'active' });
  await until('all events have arrived', () => new Set(receiver.taken()).size === 1000);
  await until('no delivery waits', async () => (await show(id)).waiting === 0);
});

test('disabling and reactivating a subscription preserves the event texts of waiting deliveries', async () => {
  const { receiver, send, subscribe, ask, show } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 500 }));
  await send('a1', 'a2', 'b1');
  await until('all deliveries wait', async () => (await show(id)).waiting === 3);
  await ask('PATCH', `/${id}`, { state: 'disabled' });
  receiver.behave(() => ({ status: 200 }));
  await ask('PATCH', `/${id}`, { state: 'active' });
  await until('all events have arrived', () => receiver.taken().length === 3);
  const ids = receiver.taken();
  assert.ok(ids.indexOf('a1') < ids.indexOf('a2'));
  const texts = new Map(receiver.received.map(({ event, text }) => [event['id'], text]));
  for (const { event, text } of receiver.received)
    assert.equal(text, texts.get((event as SentEvent)['id']));
});
