import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  feedIds,
  idsOf,
  ingest,
  makeEvent,
  makeEvents,
  postEvents,
  readFeed,
} from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, key: as, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

async function emptySpace(): Promise<string> {
  return makeKey(client, session, (await makeSpace(client, session)).id);
}

test('returns the event IDs of a valid batch in request order and no `errors` member', async () => {
  const events = makeEvents(3);
  const answer = await postEvents(client, { as, body: { events } });
  assert.equal(
    answer.text,
    JSON.stringify({ success: true, processed: 3, failed: 0, eventIds: idsOf(events) }),
  );
});

test('accepts an empty batch if the request has a credential', async () => {
  const key = await emptySpace();
  const result = await ingest(client, { as: key, body: { events: [] } });
  assert.deepEqual(result, { success: true, processed: 0, failed: 0, eventIds: [] });
  assert.deepEqual(await feedIds(client, key), []);
});

test('rejects only the invalid events and reports their errors in index order', async () => {
  const key = await emptySpace();
  const good = makeEvents(3);
  const events = [
    makeEvent({ time: 'yesterday' }),
    good[0],
    makeEvent({ type: undefined }),
    good[1],
    'not an event',
    good[2],
    makeEvent({ source: 'shop', specversion: '0.3' }),
  ];
  const result = await ingest(client, { as: key, body: { events } });
  assert.deepEqual([result.success, result.processed, result.failed], [false, 3, 4]);
  assert.deepEqual(result.eventIds, idsOf(good));
  const errors = result.errors ?? [];
  assert.deepEqual(
    errors.map(({ index, error }) => [index, error.split(':', 1)[0]]),
    [
      [0, 'time'],
      [2, 'type'],
      [4, 'event'],
      [6, 'source'],
    ],
  );
  assert.match(
    errors[3]?.error ?? '',
    /; specversion: /,
    'the error contains every problem of the event',
  );
  assert.deepEqual(await feedIds(client, key), idsOf(good));
});

test('returns 200 for a batch that contains only invalid events and processes none of them', async () => {
  const result = await ingest(client, { as, body: { events: [{}, null, 7] } });
  assert.deepEqual([result.success, result.processed, result.failed], [false, 0, 3]);
  assert.deepEqual(result.eventIds, []);
});

test('accepts batches of 1 and 100 events and rejects a batch of 101 events', async () => {
  const key = await emptySpace();
  const one = makeEvents(1);
  const hundred = makeEvents(100);
  assert.equal((await ingest(client, { as: key, body: { events: one } })).processed, 1);
  assert.equal((await ingest(client, { as: key, body: { events: hundred } })).processed, 100);
  const answer = await postEvents(client, { as: key, body: { events: makeEvents(101) } });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /events: must have at most 100 items, but has 101/);
  assert.deepEqual(await feedIds(client, key), idsOf([...one, ...hundred]));
});

test('if a batch contains duplicates, stores only the first copy and counts every copy as processed', async () => {
  const key = await emptySpace();
  const first = makeEvent({ data: 'first' });
  const second = { ...first, data: 'second' };
  const other = makeEvent();
  const result = await ingest(client, { as: key, body: { events: [first, second, other, first] } });
  assert.deepEqual([result.success, result.processed, result.failed], [true, 4, 0]);
  assert.deepEqual(result.eventIds, idsOf([first, first, other, first]));
  const { items } = await readFeed(client, key);
  assert.deepEqual(
    items.map((item) => item.event),
    [first, other],
  );
});

test('counts a duplicate in a later batch as processed and stores the event once', async () => {
  const key = await emptySpace();
  const known = makeEvents(5);
  const fresh = makeEvents(5);
  await ingest(client, { as: key, body: { events: known } });
  const again = known.map((event) => ({ ...event, type: 'test.changed', data: 'changed' }));
  const mixed = again.flatMap((event, index) => [event, fresh[index]]);
  const result = await ingest(client, { as: key, body: { events: mixed } });
  assert.deepEqual([result.success, result.processed], [true, 10]);
  const { items } = await readFeed(client, key);
  assert.deepEqual(
    items.map((item) => item.event),
    [...known, ...fresh],
  );
});

test('stores a batch once if fifty clients send it concurrently', async () => {
  const key = await emptySpace();
  const events = makeEvents(40);
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, turn) =>
      // Each request starts with a different event.
      ingest(client, {
        as: key,
        body: { events: [...events.slice(turn % 40), ...events.slice(0, turn % 40)] },
      }),
    ),
  );
  for (const result of results) assert.deepEqual([result.success, result.processed], [true, 40]);
  assert.deepEqual((await feedIds(client, key)).toSorted(), idsOf(events).toSorted());
});

test('deduplicates by ID and source separately, not by their concatenation', async () => {
  const key = await emptySpace();
  const pairs = [
    ['urn:a:b', 'c'],
    ['urn:a', 'b:c'],
    ['urn:a:', 'bc'],
    ['urn:a', ':bc'],
    ['urn:a/', 'b'],
    ['urn:a', '/b'],
    ['urn:a', 'b'],
    ['urn:A', 'b'],
    ['urn:a', 'B'],
    ['urn:a', ' b'],
    ['urn:a', 'b '],
    ['urn:a,1', '2'],
    ['urn:a', ',1,2'],
    ['urn:1', '1:1'],
    ['urn:11', ':1'],
  ];
  const events = pairs.map(([source, id]) => makeEvent({ source, id }));
  await ingest(client, { as: key, body: { events } });
  await ingest(client, { as: key, body: { events } });
  const { items } = await readFeed(client, key);
  assert.deepEqual(
    items.map(({ event }) => [event['source'], event['id']]),
    pairs,
  );
});

test('the same ID and source in two spaces are two events', async () => {
  const [one, two] = [await emptySpace(), await emptySpace()];
  const events = makeEvents(2);
  await ingest(client, { as: one, body: { events } });
  await ingest(client, { as: two, body: { events: events.toReversed() } });
  assert.deepEqual(await feedIds(client, one), idsOf(events));
  assert.deepEqual(await feedIds(client, two), idsOf(events.toReversed()));
});

test('recognises duplicate events after a restart', async () => {
  using directory = temporaryDirectory();
  const events = makeEvents(20);
  let key = '';
  {
    await using service = await startService(directory.path);
    const before = clientOf(service.url);
    const admin = await signIn(before);
    key = await makeKey(before, admin, (await makeSpace(before, admin)).id);
    await ingest(before, { as: key, body: { events } });
  }
  await using service = await startService(directory.path);
  const later = clientOf(service.url);
  const result = await ingest(later, {
    as: key,
    body: { events: [...events, makeEvent({ id: 'new' })] },
  });
  assert.deepEqual([result.success, result.processed], [true, 21]);
  assert.deepEqual(await feedIds(later, key), [...idsOf(events), 'new']);
});

test('an ID of a space that is not a UUID, also with U+0000, gets the error for an ID or allows no sender', async () => {
  for (const id of ['x', '%00']) {
    const headers = { 'webhook-request-origin': 'sender.example' };
    const handshake = await client(`/events?spaceId=${id}`, { method: 'OPTIONS', headers });
    assert.deepEqual(
      [handshake.status, handshake.headers.get('webhook-allowed-origin')],
      [204, null],
    );
    const body = { fileName: 'a.txt', text: 'A text.' };
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', '/by-key/a'],
    ] as const) {
      const to = `/spaces/${id}/documents${path}`;
      const { status, text } = await client(to, { method, as: session, body });
      assert.equal(status, 400, text);
      assert.match(text, /"spaceId: must be a UUID/);
    }
  }
});
