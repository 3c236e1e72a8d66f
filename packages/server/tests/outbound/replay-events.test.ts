import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Replay } from '@gatehouse/contract';
import { SEED } from '@gatehouse/filter/tests/campaign';
import { openChatService } from '../support/assistant/chat-service.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, verify } from '../support/events/receiver.ts';
import { newSubscribingSpace } from '../support/events/subscribing.ts';
import { seeded } from '../support/seeded.ts';
import { until } from '../support/until.ts';

const DAY = 86_400_000;
const EARLY = '2020-01-01T00:00:00Z';

const service = await openChatService({ env: ALLOW_RECEIVERS });
after(() => service[Symbol.asyncDispose]());
const { client } = service;

async function newSpace() {
  service.skew = 0;
  const space = await newSubscribingSpace(client, service.session);
  const send = async (...ids: string[]) => {
    const events = ids.map((id) => makeEvent({ id, subject: id.slice(0, 1) }));
    await ingest(client, { as: space.key, body: { events } });
  };
  const replay = (id: string, from: string) => space.ask('POST', `/${id}/replay`, { from });
  const finished = (id: string) =>
    until('the replay has finished', async () => {
      return (await space.show(id)).replay?.state === 'finished';
    });
  return { ...space, send, replay, finished };
}

test('resends matching events since a time, in order and with their webhook-id', async () => {
  const { receiver, send, subscribe, show, deliveries, replay, finished } = await newSpace();
  const { id, secret } = await subscribe({
    url: receiver.url,
    types: [String(makeEvent()['type'])],
  });
  assert.equal((await show(id)).replay, null);
  await send('a1', 'b1');
  await until('two events have arrived', () => receiver.taken().length === 2);
  service.skew += 60_000;
  const from = new Date(Date.now() + service.skew - 10_000).toISOString();
  await send('a2', 'a3', 'b2', 'a4');
  await until('all events have arrived', () => receiver.taken().length === 6);
  const ids = new Map(receiver.received.map((one) => [one.event['id'], one.id]));

  for (const times of [1, 2]) {
    receiver.received.length = 0;
    const answer = await replay(id, from);
    assert.equal(answer.status, 202, answer.text);
    const started = answer.json as unknown as Replay;
    assert.deepEqual([started.state, started.from, started.endedAt], ['running', from, null]);
    await finished(id);
    const taken = receiver.taken();
    assert.deepEqual(
      taken.filter((one) => one.startsWith('a')),
      ['a2', 'a3', 'a4'],
      `replay ${times}`,
    );
    assert.deepEqual(taken.toSorted(), ['a2', 'a3', 'a4', 'b2']);
  }
  for (const one of receiver.received) {
    verify(one, secret);
    assert.equal(one.id, ids.get(one.event['id']));
  }
  const { replay: shown } = await show(id);
  assert.deepEqual([shown?.remaining, shown?.from], [0, from]);
  assert.ok(shown?.endedAt != null && shown.endedAt >= shown.startedAt);
  await until('each delivery is listed', async () => {
    const delivered = await deliveries(id, '&state=delivered');
    return delivered.filter(({ eventId }) => eventId === 'a2').length === 3;
  });
});

test('starts with the oldest stored event, and finishes at once if there are no events', async () => {
  const { receiver, send, subscribe, replay, finished } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  assert.equal((await replay(id, EARLY)).json['state'], 'finished');
  await send('a1');
  await until('the event has arrived', () => receiver.taken().length === 1);
  await replay(id, EARLY);
  await finished(id);
  assert.deepEqual(receiver.taken(), ['a1', 'a1']);
});

test('live events arrive while a replay hangs, and the replay can be cancelled', async () => {
  const { receiver, send, subscribe, show, ask, replay } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  const old = Array.from({ length: 100 }, (_, at) => `${String.fromCharCode(300 + at)}old`);
  await send(...old);
  await until('all events have arrived', () => receiver.taken().length === 100);
  receiver.behave(({ event }) => (String(event['id']).endsWith('old') ? 'hang' : { status: 200 }));
  assert.equal((await replay(id, EARLY)).status, 202);
  await until('some events hang', () => receiver.received.length > 100);
  const repeated = await replay(id, '2020-01-01T01:00:00+01:00');
  assert.deepEqual([repeated.status, repeated.json['state']], [202, 'running']);
  const other = await replay(id, '2020-01-02T00:00:00Z');
  assert.deepEqual([other.status, other.json['code']], [409, 'deliveries.replay-running']);
  await send('x1', 'x2', 'y1');
  await until('the new events have arrived', () => receiver.taken().length === 103);
  assert.ok(receiver.received.length <= 103 + 64 / 4);
  assert.equal((await show(id)).replay?.state, 'running');

  assert.equal((await ask('DELETE', `/${id}/replay`)).status, 204);
  assert.equal((await show(id)).replay?.state, 'cancelled');
  const again = await ask('DELETE', `/${id}/replay`);
  assert.deepEqual([again.status, again.json['code']], [404, 'deliveries.no-replay']);
  await send('z1');
  await until('another event has arrived', () => receiver.taken().includes('z1'));
  assert.equal((await show(id)).waiting, 0);
});

test('failed events of a replay wait for a retry, and parked deliveries are resent', async () => {
  const { receiver, send, subscribe, show, deliveries, replay, finished } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  receiver.behave(({ event }) => ({ status: event['id'] === 'a1' ? 500 : 200 }));
  await send('a1', 'b1', 'b2');
  await until('a delivery waits', async () => (await show(id)).waiting === 1);
  await until('b1 and b2 have arrived', () => receiver.taken().length === 2);
  service.skew += 4 * DAY;
  await until('the delivery is parked', async () => (await show(id)).parked === 1);

  receiver.behave(({ event }) => ({ status: event['id'] === 'b1' ? 500 : 200 }));
  receiver.received.length = 0;
  await replay(id, EARLY);
  await finished(id);
  await until('the parked delivery has arrived', () => receiver.taken().includes('a1'));
  await until('b1 and b2 wait', async () => (await show(id)).waiting === 2);
  assert.equal((await show(id)).parked, 0);
  const waiting = await deliveries(id);
  assert.deepEqual(waiting.map(({ eventId }) => eventId).toSorted(), ['b1', 'b2']);

  // A replay skips deliveries that wait. If b1 arrived before the replay reads it, it would arrive twice.
  await replay(id, EARLY);
  await finished(id);
  receiver.behave(() => ({ status: 200 }));
  service.skew += 3_600_000;
  await until('nothing waits', async () => (await show(id)).waiting === 0);
  assert.deepEqual(
    receiver.taken().filter((one) => one.startsWith('b')),
    ['b1', 'b2'],
  );
});

test('rejects a time in the future, an inactive subscription and a subscription of another space', async () => {
  const { receiver, subscribe, ask, replay } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  const future = new Date(Date.now() + 60_000).toISOString();
  for (const [from, issue] of [
    [future, 'from: must not be in the future'],
    ['yesterday', 'from: must be a time such as 2026-10-18T09:30:00Z (RFC 3339)'],
  ] as const) {
    const { status, json } = await replay(id, from);
    assert.deepEqual([status, json['issues']], [400, [{ message: issue }]]);
  }
  await ask('PATCH', `/${id}`, { state: 'disabled' });
  const inactive = await replay(id, EARLY);
  assert.deepEqual([inactive.status, inactive.json['code']], [409, 'deliveries.not-active']);
  const other = await newSpace();
  for (const answer of [await other.replay(id, EARLY), await other.ask('DELETE', `/${id}/replay`)])
    assert.equal(answer.status, 404);
});

test('mutated requests cause no 5xx response', async (context) => {
  context.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  const { spaceId, receiver, send, subscribe } = await newSpace();
  const { id } = await subscribe({ url: receiver.url });
  await send('a1');
  const values = [
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999+23:59',
    '2016-12-31T23:59:60Z',
    '2026-02-30T00:00:00Z',
    '1e309',
    '\u0000',
    '\ud800',
    'MTAwMA',
    '9'.repeat(16),
    'delivered',
    'null',
    '-1',
    'x'.repeat(5000),
  ];
  const value = () => values[random.below(values.length)] ?? '';
  const encoded = () => {
    const text = value();
    return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
  };
  const space = `/spaces/${spaceId}`;
  const as = service.session;
  for (let round = 0; round < 60; round += 1) {
    const query = `?state=${encoded()}&after=${encoded()}&limit=${encoded()}`;
    const from: unknown = [value(), null, 1e308, [value()], { from: value() }][random.below(5)];
    const deliveries = `${space}/subscriptions/${id}/deliveries`;
    const answers = await Promise.all([
      client(`${deliveries}${query}`, { as }),
      client(`${deliveries}?state=delivered&after=${encoded()}`, { as }),
      client(`${deliveries}/${encoded()}`, { as }),
      client(`${space}/rejected-events${query}`, { as }),
      client(`${space}/rejected-events?after=${encoded()}`, { as }),
      client(`${space}/subscriptions/${id}/replay`, { as, body: { from, [value()]: value() } }),
      client(`${space}/subscriptions/${id}/replay`, { as, body: { from } }),
      client(`${space}/subscriptions/${encoded()}/replay`, { as, method: 'DELETE' }),
    ]);
    for (const { status, text } of answers) assert.ok(status < 500, text);
  }
});
