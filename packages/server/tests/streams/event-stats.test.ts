import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStats, MAX_INGEST_BYTES } from '@gatehouse/contract';
import { listen } from '../support/events/event-stream.ts';
import { ingest, makeEvent, makeEvents, postEvents } from '../support/events/events.ts';
import { contractClient } from '../support/http/contract-client.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client: bare, session, service, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());
const client = contractClient(bare);

async function newSpace(): Promise<{ id: string; key: string }> {
  const { id } = await makeSpace(client, session);
  return { id, key: await makeKey(client, session, id) };
}

async function statsOf(spaceId: string, as: string): Promise<EventStats> {
  const answer = await client(`/spaces/${spaceId}/events/stats`, { as });
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as EventStats;
}

/** Sums the counts of all minutes, because a test may span several minutes. */
const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
const totals = (counts: readonly { name: string | null; total: number }[]) =>
  Object.fromEntries(counts.map(({ name, total: own }) => [String(name), own]));
const reasons = (counts: readonly { reason: string; total: number }[]) =>
  Object.fromEntries(counts.map(({ reason, total: own }) => [reason, own]));

test('all counts of a space without events are zero', async () => {
  const { id, key } = await newSpace();
  const stats = await statsOf(id, key);
  assert.equal(stats.accepted.length, 60);
  assert.deepEqual([total(stats.accepted), total(stats.bytes), stats.stored], [0, 0, 0]);
  assert.deepEqual([stats.types, stats.sources, stats.failures, stats.refused], [[], [], [], []]);
  assert.ok(Date.parse(stats.since) >= Date.parse(stats.firstMinute));
});

test('counts accepted events by type and source and stores duplicates once', async () => {
  const { id, key } = await newSpace();
  const events = [
    ...makeEvents(3, { type: 'a', source: 'urn:x' }),
    ...makeEvents(2, { type: 'b', source: 'urn:x' }),
    ...makeEvents(1, { type: 'a', source: 'urn:y' }),
  ];
  await ingest(client, { as: key, body: { events } });
  await ingest(client, { as: key, body: { events: events.slice(0, 2) } });
  const stats = await statsOf(id, key);
  assert.equal(total(stats.accepted), 8);
  assert.equal(stats.stored, 6);
  assert.deepEqual(totals(stats.types), { a: 6, b: 2 });
  assert.deepEqual(totals(stats.sources), { 'urn:x': 7, 'urn:y': 1 });
  const texts = [...events, ...events.slice(0, 2)].map((event) => JSON.stringify(event).length);
  assert.equal(total(stats.bytes), total(texts));
  for (const { total: all, perMinute } of [...stats.types, ...stats.sources])
    assert.equal(total(perMinute), all);
});

test('counts failed events and rejected requests by reason', async () => {
  const { id, key } = await newSpace();
  const events = [makeEvent(), makeEvent({ type: '' }), makeEvent({ source: 'no uri' })];
  await ingest(client, { as: key, body: { events } });
  for (const body of ['{', '{"events":1}']) await postEvents(client, { as: key, body });
  const stats = await statsOf(id, key);
  assert.deepEqual(reasons(stats.failures), { invalid: 2 });
  assert.deepEqual(reasons(stats.refused), { malformed: 2 });
  const { text } = await client('/metrics');
  assert.match(text, /^gatehouse_events_failed_total\{reason="invalid"\} [2-9]/m);
  assert.match(text, /^gatehouse_event_requests_refused_total\{reason="malformed"\} [2-9]/m);
  assert.match(text, /^gatehouse_event_bytes_total [1-9]/m);
});

test('counts requests that are rejected before their body is complete', async () => {
  const { id, key } = await newSpace();
  const requests = [
    [415, { headers: { 'content-type': 'text/csv' }, body: 'a' }],
    [413, { body: ' '.repeat(MAX_INGEST_BYTES + 1) }],
    [400, { headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }],
  ] as const;
  for (const [status, send] of requests)
    assert.equal((await postEvents(client, { as: key, ...send })).status, status);
  assert.deepEqual(reasons((await statsOf(id, key)).refused), { malformed: 3 });
});

test('statistics contain only the events and listeners of their space', async () => {
  const [one, two] = [await newSpace(), await newSpace()];
  using stream = await listen(service.url, { as: one.key });
  assert.equal(stream.response.status, 200);
  await ingest(client, { as: one.key, body: { events: makeEvents(4) } });
  const [first, second] = [await statsOf(one.id, one.key), await statsOf(two.id, two.key)];
  assert.deepEqual([total(first.accepted), first.listeners], [4, 1]);
  assert.deepEqual([total(second.accepted), second.listeners, second.types], [0, 0, []]);
});

test('counts each event of a request in the space of that event', async () => {
  const [one, two] = [await newSpace(), await newSpace()];
  const by = (apiKey: string, count: number) => makeEvents(count, { auth: { apiKey } });
  await ingest(client, { body: { events: [...by(one.key, 2), ...by(two.key, 3)] } });
  assert.equal(total((await statsOf(one.id, one.key)).accepted), 2);
  assert.equal(total((await statsOf(two.id, two.key)).accepted), 3);
});

test('lists each consumer of the space with its lag', async () => {
  const { id, key } = await newSpace();
  const body = { url: 'https://billing.example/hooks', types: ['nothing.of.the.kind'] };
  const made = await client(`/spaces/${id}/subscriptions`, { as: session, body });
  assert.equal(made.status, 201, made.text);
  await ingest(client, { as: key, body: { events: makeEvents(3) } });
  for (let attempts = 0; attempts < 1000; attempts += 1) {
    const { consumers } = await statsOf(id, key);
    assert.deepEqual(consumers.map(({ name }) => name).toSorted(), ['deliveries', 'knowledge']);
    if (consumers.every(({ lag }) => lag === 0)) return;
    await sleep(10);
  }
  assert.fail('a consumer still lags');
});
