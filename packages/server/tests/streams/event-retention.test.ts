import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { openChatService } from '../support/assistant/chat-service.ts';
import { listen } from '../support/events/event-stream.ts';
import { feedIds, getPage, idsOf, ingest, makeEvents } from '../support/events/events.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { until } from '../support/until.ts';

const DAY = 86_400_000;
const service = await openChatService();
after(() => service[Symbol.asyncDispose]());
const { client, session } = service;

async function newSpace() {
  const { id } = await makeSpace(client, session);
  return { id, key: await makeKey(client, session, id) };
}

function change(id: string, body: object) {
  return client(`/spaces/${id}`, { method: 'PATCH', as: session, body });
}

test('removes events past the maximum age and still recognises duplicates of these events', async () => {
  const { id, key } = await newSpace();
  const [old, young] = [makeEvents(150), makeEvents(20)];
  service.skew = -31 * DAY;
  await ingest(client, { as: key, body: { events: old.slice(0, 100) } });
  await ingest(client, { as: key, body: { events: old.slice(100) } });
  const { next } = await getPage(client, key, '?limit=120');
  service.skew = 0;
  await ingest(client, { as: key, body: { events: young } });
  assert.equal((await feedIds(client, key)).length, 170);

  const changed = await change(id, { eventRetention: { maxAgeDays: 30 } });
  assert.equal(changed.status, 200);
  const eventRetention = { maxAgeDays: 30, maxBytes: null };
  assert.deepEqual(changed.json['eventRetention'], eventRetention);
  await until('the old events are removed', async () => (await feedIds(client, key)).length === 20);
  assert.deepEqual(await feedIds(client, key), idsOf(young));
  const { items } = await getPage(client, key, `?after=${next}`);
  assert.deepEqual(
    items.map(({ event }) => event['id']),
    idsOf(young),
  );
  using stream = await listen(service.url, { as: key, query: `?after=${next}` });
  assert.deepEqual(await stream.ids(20), idsOf(young));
  const again = await ingest(client, { as: key, body: { events: old.slice(0, 50) } });
  assert.equal(again.processed, 50);
  assert.deepEqual(await feedIds(client, key), idsOf(young));
  assert.match((await client('/metrics')).text, /^gatehouse_events_removed_total 150$/m);
});

test('removes the oldest events of a space that exceeds its maximum size', async () => {
  const { id, key } = await newSpace();
  // Random data, because the store compresses repetitive data.
  const data = () => randomBytes(4000).toString('base64');
  for (let batch = 0; batch < 6; batch += 1) {
    const sent = makeEvents(100).map((event) => ({ ...event, data: data() }));
    await ingest(client, { as: key, body: { events: sent } });
  }
  const events = await feedIds(client, key);
  await change(id, { eventRetention: { maxBytes: 1_048_576 } });
  await until(
    'some events are removed',
    async () => (await feedIds(client, key)).length < events.length,
  );
  let left: string[] = [];
  await until('removal has finished', async () => {
    const before = left.length;
    left = await feedIds(client, key);
    return left.length === before;
  });
  assert.ok(left.length > 0 && left.length < 600);
  assert.deepEqual(left, events.slice(-left.length));
});

test('validates, stores and clears the retention of a space', async () => {
  const body = { name: 'Short', eventRetention: { maxAgeDays: 7 } };
  const made = await client('/spaces', { method: 'POST', as: session, body });
  assert.equal(made.status, 201);
  assert.deepEqual(made.json['eventRetention'], { maxAgeDays: 7, maxBytes: null });
  const id = String(made.json['id']);
  const rejected = await change(id, { eventRetention: { maxAgeDays: 0, maxBytes: 5, maxage: 1 } });
  assert.equal(rejected.status, 400);
  assert.equal((rejected.json['issues'] as unknown[]).length, 3, rejected.text);
  await change(id, { name: 'Long' });
  const kept = await client(`/spaces/${id}`, { as: session });
  assert.deepEqual(kept.json['eventRetention'], { maxAgeDays: 7, maxBytes: null });
  const ended = await change(id, { eventRetention: {} });
  assert.deepEqual(ended.json['eventRetention'], { maxAgeDays: null, maxBytes: null });
});
