import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type OpenStream } from '../support/events/event-stream.ts';
import {
  type FeedItem,
  getPage,
  idsOf,
  ingest,
  makeEvent,
  makeEvents,
  type SentEvent,
} from '../support/events/events.ts';
import { giveRole, makeKey, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, service, key, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());
const { url } = service;

async function newSpace(): Promise<{ id: string; botId: number; key: string }> {
  const space = await makeSpace(client, session);
  return { ...space, key: await makeKey(client, session, space.id) };
}

function send(as: string, events: readonly SentEvent[]): Promise<unknown> {
  return ingest(client, { as, body: { events } });
}

function itemsOf({ received }: OpenStream): FeedItem[] {
  return received.map(({ data }) => JSON.parse(data) as FeedItem);
}

test('a new stream sends later events in the same format as the feed', async () => {
  const { key } = await newSpace();
  await send(key, makeEvents(3));
  using stream = await listen(url, { as: key });
  assert.equal(stream.response.status, 200);
  assert.equal(stream.response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(stream.response.headers.get('cache-control'), 'no-store');
  const events = [...makeEvents(2, { data: { number: 1, text: 'Zoë 🦦' } }), makeEvent()];
  await send(key, events);
  await send(key, [...events, makeEvent({ id: 'last' })]);
  assert.deepEqual(await stream.ids(4), [...idsOf(events), 'last']);
  const page = await getPage(client, key);
  assert.deepEqual(itemsOf(stream), page.items.slice(3));
  assert.equal(stream.received.at(-1)?.lastEventId, page.resume);
});

test('resumes after the event in Last-Event-ID, which overrides the cursor in the query string', async () => {
  const { key } = await newSpace();
  using first = await listen(url, { as: key });
  const events = makeEvents(10);
  await send(key, events);
  await first.ids(10);
  const [fourth, seventh] = [first.received[3], first.received[6]].map(
    (received) => received?.lastEventId,
  );
  using resumed = await listen(url, { as: key, query: `?after=${fourth}` });
  assert.deepEqual(await resumed.ids(6), idsOf(events).slice(4));
  using preferred = await listen(url, {
    as: key,
    query: `?after=${fourth}`,
    lastEventId: seventh ?? '',
  });
  assert.deepEqual(await preferred.ids(3), idsOf(events).slice(7));
});

test('a client that disconnects before the first event resumes at the start of the stream', async () => {
  const { key } = await newSpace();
  using silent = await listen(url, { as: key });
  while (silent.lastEventId() === '') await sleep(5);
  silent[Symbol.dispose]();
  const events = makeEvents(3);
  await send(key, events);
  using resumed = await listen(url, { as: key, lastEventId: silent.lastEventId() });
  assert.deepEqual(await resumed.ids(3), idsOf(events));
});

test('cursors of the feed are valid for the stream and vice versa', async () => {
  const { key } = await newSpace();
  const events = makeEvents(5);
  await send(key, events);
  const { next } = await getPage(client, key, '?limit=2');
  using stream = await listen(url, { as: key, query: `?after=${next}` });
  assert.deepEqual(await stream.ids(3), idsOf(events).slice(2));
  const page = await getPage(client, key, `?after=${stream.received[1]?.lastEventId}`);
  assert.deepEqual(idsOf(page.items.map(({ event }) => event)), idsOf(events).slice(4));
});

test('filters stored and live events by type, source and subject', async () => {
  const { key } = await newSpace();
  const sorts = [
    { type: 'a', source: 'urn:x', subject: 's' },
    { type: 'b', source: 'urn:x', subject: 's' },
    { type: 'a', source: 'urn:y' },
    { type: 'a', source: 'urn:x', subject: 't', data: { type: 'b' } },
  ];
  const sent = sorts.map((sort, number) => makeEvent({ ...sort, id: `before-${number}` }));
  await send(key, sent);
  const queries = ['type=a', 'source=urn:y', 'subject=s', 'type=a&source=urn:x&subject=s', ''];
  const streams = await Promise.all(
    queries.map((query) => listen(url, { as: key, query: `?after=MA&${query}` })),
  );
  await send(
    key,
    sorts.map((sort, number) => makeEvent({ ...sort, id: `live-${number}` })),
  );
  const wanted = [[0, 2, 3], [2], [0, 1], [0], [0, 1, 2, 3]];
  for (const [place, stream] of streams.entries()) {
    const numbers: readonly number[] = wanted[place] ?? [];
    const ids = ['before', 'live'].flatMap((when) => numbers.map((number) => `${when}-${number}`));
    assert.deepEqual(await stream.ids(ids.length), ids, queries[place] ?? '');
    stream[Symbol.dispose]();
  }
});

test('every listener that joins during ingest receives every event once and in order', async () => {
  const { key } = await newSpace();
  let sending = true;
  const sent: string[] = [];
  const sender = (async () => {
    while (sending) {
      const events = makeEvents(7, { data: 'x'.repeat(300) });
      await send(key, events);
      sent.push(...idsOf(events));
    }
  })();
  const streams: OpenStream[] = [];
  for (let number = 0; number < 40; number += 1) {
    await sleep(10);
    streams.push(await listen(url, { as: key, query: '?after=MA' }));
  }
  sending = false;
  await sender;
  for (const stream of streams) {
    assert.deepEqual(await stream.ids(sent.length), sent);
    stream[Symbol.dispose]();
  }
});

test('a stream sends an event whose JSON has several lines completely', async () => {
  const { key } = await newSpace();
  using stream = await listen(url, { as: key });
  const text =
    '{\n  "id": "lines",\r\n\r  "specversion": "1.0",\n\n  "source": "urn:a",   "type": "t",\n "data": 12345678901234567890 }';
  await ingest(client, { as: key, body: `{"events":[${text}]}` });
  await stream.ids(1);
  const data = stream.received[0]?.data ?? '';
  assert.ok(data.startsWith(`{"event":${text.replaceAll(/\r\n|\r/g, '\n')},"receivedAt":"`), data);
});

test('a stream contains only events of its space', async () => {
  const [one, two] = [await newSpace(), await newSpace()];
  using stream = await listen(url, { as: one.key });
  await send(two.key, makeEvents(3));
  const event = makeEvent();
  await send(one.key, [event]);
  assert.deepEqual(await stream.ids(1), idsOf([event]));
});

test('a viewer with a session can listen if the request names the space', async () => {
  const space = await newSpace();
  const user = await makeUser(client, session, 'listener');
  await giveRole(client, session, space.botId, user.id, 'viewer');
  const as = await signIn(client, user);
  const unnamed = await client('/events/stream', { as });
  assert.deepEqual([unnamed.status, unnamed.json['code']], [400, 'events.invalid']);
  using stream = await listen(url, { as, query: `?spaceId=${space.id}` });
  const event = makeEvent();
  await send(space.key, [event]);
  assert.deepEqual(await stream.ids(1), idsOf([event]));
});

test('rejects an invalid cursor and names the invalid parameter', async () => {
  for (const [query, headers, problem] of [
    ['?after=x', {}, 'after: is not a cursor'],
    ['', { 'last-event-id': 'x' }, 'Last-Event-ID: is not a cursor'],
    ['?limit=1', {}, 'limit: unknown member'],
  ] as const) {
    const { status, text } = await client(`/events/stream${query}`, { as: key, headers });
    assert.equal(status, 400, text);
    assert.ok(text.includes(problem), text);
  }
});

test('a HEAD request opens no stream', async () => {
  const answer = await client('/events/stream', { as: key, method: 'HEAD' });
  assert.equal(answer.status, 200);
  assert.equal(answer.text, '');
});

test('a stream ends with a reason when its key is revoked', async () => {
  const space = await newSpace();
  using stream = await listen(url, { as: space.key });
  using other = await listen(url, { as: await makeKey(client, session, space.id) });
  const keys = await client(`/spaces/${space.id}/api-keys`, { as: session });
  const [{ id }] = keys.json['items'] as [{ id: string }];
  await client(`/spaces/${space.id}/api-keys/${id}`, { method: 'DELETE', as: session });
  assert.equal(await stream.ended, true);
  assert.ok(stream.comments.includes('access.unknown-credential'), stream.comments.join());
  const event = makeEvent();
  await send(key, [makeEvent()]);
  await ingest(client, { as: session, body: { events: [event] } }, `?spaceId=${space.id}`);
  assert.deepEqual(await other.ids(1), idsOf([event]));
  assert.deepEqual(stream.received, []);
});

test('a stream ends when its key expires', async () => {
  const space = await newSpace();
  const expiresAt = new Date(Date.now() + 1500).toISOString();
  const body = { name: 'short', scopes: ['read'], expiresAt };
  const answer = await client(`/spaces/${space.id}/api-keys`, { as: session, body });
  using stream = await listen(url, { as: String(answer.json['key']) });
  assert.equal(stream.response.status, 200);
  assert.equal(await stream.ended, true);
});

test('a stream ends when its user signs out or loses the role', async () => {
  const space = await newSpace();
  const user = await makeUser(client, session, 'leaver');
  await giveRole(client, session, space.botId, user.id, 'viewer');
  const [left, kept] = [await signIn(client, user), await signIn(client, user)];
  const query = `?spaceId=${space.id}`;
  using first = await listen(url, { as: left, query });
  using second = await listen(url, { as: kept, query });
  await client('/auth/sign-out', { method: 'POST', as: left });
  assert.equal(await first.ended, true);
  const path = `/bots/${space.botId}/members/${user.id}`;
  await client(path, { method: 'DELETE', as: session });
  assert.equal(await second.ended, true);
  assert.ok(second.comments.includes('access.forbidden'), second.comments.join());
});

test('streams opened with keys or by administrators end when their space is deleted', async () => {
  const space = await newSpace();
  using byKey = await listen(url, { as: space.key });
  using byAdmin = await listen(url, { as: session, query: `?spaceId=${space.id}` });
  await client(`/spaces/${space.id}`, { method: 'DELETE', as: session });
  assert.equal(await byKey.ended, true);
  assert.equal(await byAdmin.ended, true);
});
