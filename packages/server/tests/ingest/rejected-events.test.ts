import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { RejectedEvent } from '@gatehouse/contract';
import { openChatService } from '../support/assistant/chat-service.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { until } from '../support/until.ts';

const DAY = 86_400_000;

const service = await openChatService({ env: { GATEHOUSE_RATE_LIMIT_EVENTS_KEY: '50' } });
after(() => service[Symbol.asyncDispose]());
const { client } = service;

async function newSpace() {
  service.skew = 0;
  const { id: spaceId } = await makeSpace(client, service.session);
  const key = await makeKey(client, service.session, spaceId);
  const page = async (query = '') => {
    const answer = await client(`/spaces/${spaceId}/rejected-events${query}`, {
      as: service.session,
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as { items: RejectedEvent[]; next: string | null };
  };
  const listed = async (count: number) => {
    await until(`${count} are listed`, async () => (await page()).items.length === count);
    return (await page()).items;
  };
  return { spaceId, key, page, listed };
}

test('lists rejected events with their attributes and sender, but without data', async () => {
  const { key, page, listed } = await newSpace();
  const event = makeEvent({ id: 'bad', data: { marker: 1 } });
  const body = { events: [makeEvent(), { ...event, type: 1 }, 7] };
  const sent = await client('/events', { as: key, body });
  assert.deepEqual([sent.status, sent.json['processed'], sent.json['failed']], [200, 1, 2]);
  const [second, first] = await listed(2);
  const keyId = first?.sender.id;
  assert.deepEqual(first, {
    id: first?.id,
    at: first?.at,
    kind: 'event',
    reason: 'invalid',
    problem: 'type: must be a string',
    status: null,
    sender: { kind: 'apiKey', id: keyId },
    event: { index: 1, id: 'bad', source: event['source'], type: null },
  });
  assert.equal(second?.problem, 'event: must be an object');
  assert.ok(keyId != null && Date.parse(first?.at ?? '') > Date.now() - 60_000);

  const paged = await page('?limit=1');
  assert.deepEqual(paged.items, [second]);
  assert.deepEqual(await page(`?limit=1&after=${paged.next}`), { items: [first], next: null });
});

test('lists rejected requests of known senders only', async () => {
  const { spaceId, key, listed } = await newSpace();
  const readKey = await makeKey(client, service.session, spaceId, ['read']);
  const body = { events: [makeEvent()] };
  const expected = [
    ['forbidden', 403, await client('/events', { as: readKey, body })],
    ['malformed', 400, await client('/events', { as: key, body: '{' })],
    [
      'malformed',
      415,
      await client('/events', { as: key, body: 'x', headers: { 'content-type': 'image/png' } }),
    ],
    [
      'malformed',
      400,
      await client(`/events?spaceId=${spaceId}`, { as: service.session, body: '{' }),
    ],
  ] as const;
  for (const [, status, answer] of expected) assert.equal(answer.status, status, answer.text);
  await client('/events', { body });
  await client('/events', { as: `${key}x`, body });
  const items = (await listed(expected.length)).toReversed();
  assert.deepEqual(
    items.map(({ kind, reason, status, event }) => [kind, reason, status, event]),
    expected.map(([reason, status]) => ['request', reason, status, null]),
  );
  assert.deepEqual(
    items.map(({ sender }) => sender.kind),
    ['apiKey', 'apiKey', 'apiKey', 'user'],
  );
});

test('lists requests above a rate limit', async () => {
  const { key, listed } = await newSpace();
  const events = Array.from({ length: 100 }, () => makeEvent());
  await ingest(client, { as: key, body: { events } });
  assert.equal((await client('/events', { as: key, body: { events } })).status, 429);
  const [item] = await listed(1);
  assert.deepEqual([item?.kind, item?.reason, item?.status], ['request', 'rate-limited', 429]);
});

test('lists events whose credential is known but not sufficient, in the space of the key', async () => {
  const { spaceId, listed } = await newSpace();
  const other = await newSpace();
  const weak = await makeKey(client, service.session, spaceId, ['read']);
  const auth = (apiKey: string) => ({ ...makeEvent({ id: 'x' }), auth: { apiKey } });
  const mixed = await client('/events', { body: { events: [auth(other.key), auth(weak)] } });
  assert.equal(mixed.status, 200, mixed.text);
  assert.equal((await client('/events', { body: { events: [auth(weak)] } })).status, 401);
  const whole = await client('/events', {
    body: { auth: { apiKey: weak }, events: [makeEvent()] },
  });
  assert.equal(whole.status, 403);
  const items = (await listed(3)).toReversed();
  assert.deepEqual(
    items.map(({ kind, reason, event }) => [kind, reason, event?.index]),
    [
      ['event', 'forbidden', 1],
      ['event', 'forbidden', 0],
      ['request', 'forbidden', undefined],
    ],
  );
  assert.deepEqual((await other.page()).items, []);
});

test('requires edit rights, and removes entries after seven days', async () => {
  const { spaceId, key, listed, page } = await newSpace();
  const other = await newSpace();
  const path = `/spaces/${spaceId}/rejected-events`;
  for (const as of [key, other.key]) assert.equal((await client(path, { as })).status, 403);
  assert.equal((await client(path)).status, 401);
  assert.equal((await client(`${path}?after=x`, { as: service.session })).status, 400);
  // The clock of the service is moved before the event is rejected, because sessions end earlier than entries.
  service.skew = -7 * DAY + 3000;
  await client('/events', { as: key, body: { events: [7] } });
  await listed(1);
  service.skew = 10_000;
  assert.deepEqual((await page()).items, []);
});
