import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idsOf, ingest, makeEvent, makeEvents, type SentEvent } from '../support/events/events.ts';
import {
  ALLOW_RECEIVERS,
  type Receiver,
  slowly,
  startReceiver,
  verify,
  verifyNow,
} from '../support/events/receiver.ts';
import { newSubscribingSpace, subscribingIn } from '../support/events/subscribing.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

const shop = await startServiceWithSpace({ env: ALLOW_RECEIVERS });
const { client, session } = shop;
after(() => shop[Symbol.asyncDispose]());

async function newSpace() {
  const space = await newSubscribingSpace(client, session);
  const send = (events: readonly SentEvent[]) =>
    ingest(client, { as: space.key, body: { events } });
  return { ...space, send };
}

const about = (subject: string, id: string) => makeEvent({ subject, id });
const arrived = (receiver: Receiver, count: number) =>
  until(`${count} events have arrived`, () => receiver.taken().length >= count);

test('sends every event that is accepted after the subscription is created, signed and with a unique ID', async () => {
  const { receiver, send, subscribe, show } = await newSpace();
  await send(makeEvents(2));
  const { id, secret } = await subscribe({ url: `${receiver.url}?a=1` });
  const events = [makeEvent({ data: 'Grüße ✓' }), makeEvent({ subject: 'b', extension: 'kept' })];
  await send(events);
  await arrived(receiver, 2);
  assert.deepEqual(receiver.taken().toSorted(), idsOf(events).toSorted());
  for (const one of receiver.received) {
    assert.deepEqual(verifyNow(one, secret), one.event);
    assert.equal(one.path, '/hook?a=1');
    assert.equal(one.headers['content-type'], 'application/cloudevents+json');
    assert.match(String(one.headers['user-agent']), /^gatehouse\/\d/);
    assert.match(one.id, /^msg_[0-9a-f]{32}_\d+$/);
  }
  assert.equal(new Set(receiver.received.map((one) => one.id)).size, 2);
  await until('lastDeliveredAt is set', async () => (await show(id)).lastDeliveredAt !== null);
  const { lag, waiting, parked, lastFailure } = await show(id);
  assert.deepEqual([lag, waiting, parked, lastFailure], [0, 0, 0, null]);
});

test('sends the exact text of an event without its `auth` member', async () => {
  const { key, receiver, subscribe } = await newSpace();
  await subscribe({ url: receiver.url });
  const text =
    '{ "specversion":"1.0","id":"a", "source":"urn:a","type":"t","data":1.50000000000000000001 }';
  const body = `{"auth":{"apiKey":"${key}"},"events":[${text}]}`;
  await ingest(client, { body });
  await arrived(receiver, 1);
  assert.equal(receiver.received[0]?.text, text);
});

test('forwards the trace of an event unchanged', async () => {
  const { receiver, send, subscribe } = await newSpace();
  await subscribe({ url: receiver.url });
  const trace = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'vendor=value',
  };
  await send([makeEvent({ id: 'traced', ...trace }), makeEvent({ traceparent: 'malformed' })]);
  await arrived(receiver, 2);
  for (const { event, headers } of receiver.received) {
    const isTraced = event['id'] === 'traced';
    assert.equal(headers['traceparent'], isTraced ? trace.traceparent : undefined);
    assert.equal(headers['tracestate'], isTraced ? trace.tracestate : undefined);
  }
});

test('sends only events of the requested types and sources', async () => {
  const { receiver, send, subscribe } = await newSpace();
  await subscribe({ url: `${receiver.url}/one`, types: ['order.paid'] });
  await subscribe({ url: `${receiver.url}/some`, types: ['order.*', 'x'], sources: ['urn:a'] });
  await subscribe({ url: `${receiver.url}/source`, sources: ['urn:*'] });
  const sent = [
    ['urn:a', 'order.paid'],
    ['urn:b', 'order.paid'],
    ['urn:a', 'order.sent'],
    ['urn:a', 'orders'],
    ['https://a.example/', 'x'],
    ['urn:a', 'x'],
    ['urn:b', 'end'],
  ].map(([source, type], at) => makeEvent({ source, type, id: String(at) }));
  await send(sent);
  await arrived(receiver, 2 + 3 + 6);
  const at = (path: string) =>
    receiver.received
      .filter((one) => one.path.endsWith(path))
      .map(({ event }) => Number(event['id']))
      .sort();
  assert.deepEqual(at('/one'), [0, 1]);
  assert.deepEqual(at('/some'), [0, 2, 5]);
  assert.deepEqual(at('/source'), [0, 1, 2, 3, 5, 6]);
});

test('sends events with the same source and subject in order, one at a time', async () => {
  const { receiver, send, subscribe } = await newSpace();
  await subscribe({ url: receiver.url });
  const inFlight = new Set<unknown>();
  receiver.behave(async ({ event: { subject } }) => {
    assert.ok(!inFlight.has(subject));
    inFlight.add(subject);
    const reply = await slowly(2, { status: 200 });
    inFlight.delete(subject);
    return reply;
  });
  const subjects = ['a', 'b', 'c'];
  const events = Array.from({ length: 90 }, (_, at) => about(subjects[at % 3] ?? '', String(at)));
  for (let at = 0; at < events.length; at += 10) await send(events.slice(at, at + 10));
  await arrived(receiver, events.length);
  for (const subject of subjects) {
    const got = receiver.received.filter(({ event }) => event['subject'] === subject);
    const expected = events.filter((event) => event['subject'] === subject);
    assert.deepEqual(idsOf(got.map(({ event }) => event)), idsOf(expected));
  }
});

test('a failing delivery delays only later events with the same source and subject', async () => {
  const { receiver, send, subscribe, deliveries, show } = await newSpace();
  const { id, secret } = await subscribe({ url: receiver.url });
  let isFixed = false;
  receiver.behave(({ event }) =>
    event['subject'] === 'a' && event['source'] === 'urn:a' && !isFixed
      ? { status: 500, body: 'x'.repeat(100_000) }
      : { status: 200 },
  );
  const own = { subject: 'a', source: 'urn:a' };
  const others = [
    makeEvent({ id: 'b1', subject: 'b', source: 'urn:a' }),
    makeEvent({ id: 'a3', subject: 'a', source: 'urn:b' }),
    makeEvent({ id: 'n1', source: 'urn:a' }),
  ];
  await send([makeEvent({ id: 'a1', ...own }), makeEvent({ id: 'a2', ...own }), ...others]);
  await send([makeEvent({ id: 'a4', ...own })]);
  await arrived(receiver, 3);
  assert.deepEqual(receiver.taken().toSorted(), ['a3', 'b1', 'n1']);
  await until('three deliveries wait', async () => (await show(id)).waiting === 3);
  const [first, second] = await deliveries(id, '&state=waiting');
  assert.deepEqual([first?.eventId, second?.eventId, second?.attempts], ['a1', 'a2', 0]);
  assert.ok(first && first.attempts >= 1);
  assert.deepEqual([first.status, first.failure], [500, 'the target answered 500']);
  assert.equal((await show(id)).lastFailure?.status, 500);
  isFixed = true;
  await arrived(receiver, 6);
  assert.deepEqual(receiver.taken().slice(3), ['a1', 'a2', 'a4']);
  const tries = receiver.received.filter(({ event }) => event['id'] === 'a1');
  assert.ok(tries.length >= 2);
  assert.equal(new Set(tries.map((one) => one.id)).size, 1, 'all attempts have the same id');
  assert.equal(tries[0]?.id, first.id);
  for (const one of tries) verify(one, secret);
  await until('no delivery waits', async () => (await show(id)).waiting === 0);
});

test('does not follow redirects', async () => {
  const { receiver, send, subscribe, deliveries, show } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(({ path }) =>
    path === '/hook'
      ? { status: 308, headers: { location: `${receiver.url}/elsewhere` } }
      : { status: 200 },
  );
  await send(makeEvents(1));
  await until('the delivery waits', async () => (await show(id)).waiting === 1);
  assert.equal((await deliveries(id))[0]?.status, 308);
  assert.ok(receiver.received.every(({ path }) => path === '/hook'));
});

test('a 410 response ends the subscription, and reactivating it resumes at the same position', async () => {
  const { receiver, send, subscribe, show, ask } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(() => ({ status: 410 }));
  await send([about('a', '1'), about('a', '2')]);
  await until('the subscription has ended', async () => (await show(id)).state === 'ended');
  assert.match(String((await show(id)).endReason), /^the target answered 410 at \d{4}-/);
  const before = receiver.received.length;
  receiver.behave(() => ({ status: 200 }));
  await send([about('a', '3')]);
  const { status, json } = await ask('PATCH', `/${id}`, { state: 'active' });
  assert.deepEqual([status, json['state'], json['endReason']], [200, 'active', null]);
  await arrived(receiver, 3);
  assert.deepEqual(receiver.taken(), ['1', '2', '3']);
  assert.equal(before, 1);
});

test('a disabled subscription sends nothing until it is reactivated', async () => {
  const { receiver, send, subscribe, ask, show } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  await ask('PATCH', `/${id}`, { state: 'disabled' });
  await send(makeEvents(3));
  assert.equal((await show(id)).lag, 3);
  assert.equal(receiver.received.length, 0);
  await ask('PATCH', `/${id}`, { state: 'active' });
  await arrived(receiver, 3);
});

test('changing the URL immediately retries waiting deliveries at the new URL', async () => {
  const { receiver, send, subscribe, ask, show } = await newSpace();
  const { id } = await subscribe({ url: `${receiver.url}/wrong` });
  receiver.behave(({ path }) => ({ status: path.endsWith('/wrong') ? 404 : 200 }));
  await send(makeEvents(1));
  await until('three attempts were made', () => receiver.received.length >= 3);
  await ask('PATCH', `/${id}`, { url: `${receiver.url}/right` });
  await arrived(receiver, 1);
  await until('no delivery waits', async () => (await show(id)).waiting === 0);
});

test('a hanging target does not delay other targets in the same space', async () => {
  const { receiver, send, subscribe, show } = await newSpace();
  await using hanging = await startReceiver();
  hanging.behave(() => 'hang');
  await subscribe({ url: hanging.url });
  const { id } = await subscribe({ url: receiver.url });
  const events = Array.from({ length: 500 }, (_, at) => about(`s${at}`, String(at)));
  for (let at = 0; at < events.length; at += 100) await send(events.slice(at, at + 100));
  await arrived(receiver, events.length);
  assert.equal((await show(id)).waiting, 0);
  assert.equal(hanging.taken().length, 0);
  assert.ok(hanging.connections() <= 64);
});

test('signs events with both secrets during a rotation and afterwards only with the new secret', async () => {
  const { receiver, send, subscribe, ask } = await newSpace();
  const { id, secret: first } = await subscribe({ url: receiver.url });
  const rotate = async (body: object) =>
    String((await ask('POST', `/${id}/secrets`, body)).json['secret']);
  const second = await rotate({});
  await send(makeEvents(1));
  await arrived(receiver, 1);
  const third = await rotate({ keepOldSeconds: 0 });
  await send(makeEvents(1));
  await arrived(receiver, 2);
  const [one, other] = receiver.received;
  assert.ok(one && other);
  for (const secret of [first, second]) verifyNow(one, secret);
  verifyNow(other, third);
  assert.throws(() => verifyNow(other, second));
});

test('the test route sends one event to the target and returns the result', async () => {
  const { receiver, subscribe, ask } = await newSpace();
  const { id, secret } = await subscribe({ url: receiver.url });
  const good = await ask('POST', `/${id}/test`);
  assert.deepEqual(good.json, { delivered: true, status: 204, message: null });
  const [one] = receiver.received;
  assert.ok(one);
  assert.equal((verifyNow(one, secret) as SentEvent)['type'], 'gatehouse.subscription.test');
  receiver.behave(() => ({ status: 410 }));
  const bad = await ask('POST', `/${id}/test`);
  assert.deepEqual(bad.json, { delivered: false, status: 410, message: 'the target answered 410' });
  assert.equal((await ask('GET', `/${id}`)).json['state'], 'active');
});

test('deleting a waiting delivery allows the next delivery of the same lane', async () => {
  const { receiver, send, subscribe, ask, deliveries, show } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(({ event }) => ({ status: event['id'] === 'bad' ? 400 : 200 }));
  await send([about('a', 'bad'), about('a', 'good')]);
  await until('both deliveries wait', async () => (await show(id)).waiting === 2);
  const [bad] = await deliveries(id);
  const shown = await ask('GET', `/${id}/deliveries/${bad?.id}`);
  assert.equal((shown.json['event'] as SentEvent)['id'], 'bad');
  assert.equal((await ask('DELETE', `/${id}/deliveries/${bad?.id}`)).status, 204);
  await arrived(receiver, 1);
  assert.deepEqual(receiver.taken(), ['good']);
  await until('no delivery waits', async () => (await show(id)).waiting === 0);
  for (const method of ['GET', 'DELETE'])
    assert.equal((await ask(method, `/${id}/deliveries/${bad?.id}`)).status, 404);
});

test('sends nothing after the subscription or its space is deleted', async () => {
  for (const whole of [false, true]) {
    const { spaceId, receiver, send, subscribe, ask, show } = await newSpace();
    const { id } = await subscribe({ url: receiver.url });
    receiver.behave(() => ({ status: 500 }));
    await send(makeEvents(3));
    await until('three deliveries wait', async () => (await show(id)).waiting === 3);
    if (whole) await client(`/spaces/${spaceId}`, { method: 'DELETE', as: session });
    else await ask('DELETE', `/${id}`);
    await until('the connections are closed', () => receiver.connections() === 0);
  }
});

test('the service can stop while a target hangs, and resends the event after a restart', async () => {
  await using receiver = await startReceiver();
  receiver.behave(() => 'hang');
  using directory = temporaryDirectory();
  {
    await using service = await startService(directory.path, { env: ALLOW_RECEIVERS });
    const one = clientOf(service.url);
    const as = await signIn(one);
    const { id } = await makeSpace(one, as);
    await subscribingIn(one, as, id).subscribe({ url: receiver.url });
    const key = await makeKey(one, as, id);
    await ingest(one, { as: key, body: { events: makeEvents(1) } });
    await until('the target hangs', () => receiver.received.length === 1);
    assert.equal(await service.stop(), 0);
    assert.equal(receiver.connections(), 0);
  }
  receiver.behave(() => ({ status: 200 }));
  await using service = await startService(directory.path, { env: ALLOW_RECEIVERS });
  await arrived(receiver, 1);
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1);
  assert.equal(await service.stop(), 0);
});
