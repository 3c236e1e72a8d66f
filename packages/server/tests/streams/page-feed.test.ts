import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type FeedPage,
  getPage,
  idsOf,
  ingest,
  makeEvent,
  makeEvents,
  type SentEvent,
} from '../support/events/events.ts';
import { assertResponseMatches } from '../support/http/responses.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, key: shopKey, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

async function spaceWith(events: readonly SentEvent[]): Promise<string> {
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  await ingest(client, { as: key, body: { events } });
  return key;
}

function idsIn(page: FeedPage): string[] {
  return idsOf(page.items.map(({ event }) => event));
}

async function pagesOf(key: string, limit: number, query = ''): Promise<string[][]> {
  const pages: string[][] = [];
  let next: string | null = '';
  while (next !== null) {
    const after = next === '' ? '' : `&after=${next}`;
    const page: FeedPage = await getPage(client, key, `?limit=${limit}${query}${after}`);
    assert.ok(page.items.length <= limit);
    pages.push(idsIn(page));
    next = page.next;
  }
  return pages;
}

test('an empty feed has one empty page without cursors', async () => {
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  assert.deepEqual(await getPage(client, key), { items: [], next: null, resume: null });
});

test('pages contain 50 events by default or the requested number, and each event appears once and in order', async () => {
  const events = makeEvents(100);
  const key = await spaceWith(events.slice(0, 30));
  await ingest(client, { as: key, body: { events: events.slice(30) } });
  assert.equal((await getPage(client, key)).items.length, 50);
  for (const limit of [1, 7, 50, 99, 100, 101, 200]) {
    const pages = await pagesOf(key, limit);
    assert.deepEqual(pages.flat(), idsOf(events));
    assert.equal(pages.length, Math.ceil(100 / limit));
  }
});

test('pages with the newest events first contain the same events in the opposite order, with each condition', async () => {
  const events = makeEvents(250).map((event, index) => ({
    ...event,
    type: index % 7 === 0 ? 'rare' : 'frequent',
  }));
  const key = await spaceWith(events.slice(0, 100));
  const between = new Date().toISOString();
  await ingest(client, { as: key, body: { events: events.slice(100, 200) } });
  await ingest(client, { as: key, body: { events: events.slice(200) } });
  const rare = events.filter(({ type }) => type === 'rare');
  for (const [query, expected] of [
    ['', events],
    ['&type=rare', rare],
    [`&to=${between}`, events.slice(0, 100)],
    [`&from=${between}`, events.slice(100)],
    [`&from=${between}&type=rare`, rare.filter((event) => events.indexOf(event) >= 100)],
    ['&type=unknown', []],
  ] as const)
    for (const limit of [1, 7, 100, 200]) {
      if (limit === 1 && query !== '&type=rare') continue;
      const pages = await pagesOf(key, limit, `&order=newest${query}`);
      assert.deepEqual(pages.flat(), idsOf(expected).toReversed(), `limit=${limit}${query}`);
    }
});

test('a cursor of a page with the newest events first keeps its position while new events arrive', async () => {
  const events = makeEvents(6);
  const key = await spaceWith(events);
  const first = await getPage(client, key, '?limit=4&order=newest');
  const late = makeEvents(3);
  await ingest(client, { as: key, body: { events: late } });
  const second = await getPage(client, key, `?limit=4&order=newest&after=${first.next}`);
  assert.deepEqual(idsIn(second), idsOf(events.slice(0, 2)).toReversed());
  assert.equal(second.next, null);
  const later = await getPage(client, key, `?after=${first.resume}`);
  assert.deepEqual(idsIn(later), idsOf(late));
  assert.deepEqual(idsIn(await getPage(client, shopKey, '?order=newest')), []);
});

test('a cursor keeps its position while new events arrive', async () => {
  const events = makeEvents(6);
  const key = await spaceWith(events);
  const first = await getPage(client, key, '?limit=4');
  const late = makeEvents(3);
  await ingest(client, { as: key, body: { events: late } });
  for (let turn = 0; turn < 2; turn += 1) {
    const second = await getPage(client, key, `?limit=4&after=${first.next}`);
    assert.deepEqual(idsIn(second), idsOf([...events, ...late].slice(4, 8)));
  }
  assert.deepEqual(await getPage(client, key, '?limit=4'), first, 'the first page is unchanged');
});

test('reading from the `resume` cursor of the last page returns only later events', async () => {
  const key = await spaceWith(makeEvents(3));
  const end = await getPage(client, key);
  assert.equal(end.next, null);
  const nothing = await getPage(client, key, `?after=${end.resume}`);
  assert.deepEqual(nothing, { items: [], next: null, resume: end.resume });
  const late = makeEvents(2);
  await ingest(client, { as: key, body: { events: late } });
  assert.deepEqual(idsIn(await getPage(client, key, `?after=${end.resume}`)), idsOf(late));
  const elsewhere = await getPage(client, key, `?after=${end.resume}&type=other`);
  assert.deepEqual(elsewhere.items, []);
  assert.deepEqual(idsIn(await getPage(client, key, `?after=${elsewhere.resume}`)), []);
});

test('filters the feed by any combination of type, source and subject', async () => {
  const types = ['order.paid', 'order', 'Order', 'ö&=?/ #'];
  const sources = ['urn:a', 'urn:a:b'];
  const subjects = ['1', '2', undefined];
  const events = types.flatMap((type) =>
    sources.flatMap((source) => subjects.map((subject) => makeEvent({ type, source, subject }))),
  );
  const key = await spaceWith(events);
  const queries: Record<string, string>[] = [
    ...types.map((type) => ({ type })),
    ...sources.map((source) => ({ source })),
    { subject: '1' },
    { type: 'order', source: 'urn:a' },
    { type: 'order', source: 'urn:a:b', subject: '2' },
    { type: 'none' },
    { subject: 'undefined' },
  ];
  for (const query of queries) {
    const wanted = events.filter((event) =>
      Object.entries(query).every(([name, value]) => event[name] === value),
    );
    const text = new URLSearchParams(query).toString();
    for (const limit of [2, 200])
      assert.deepEqual((await pagesOf(key, limit, `&${text}`)).flat(), idsOf(wanted), text);
  }
});

test('filters by the unescaped value of an event type', async () => {
  const text = '{"id":"1","source":"urn:a","specversion":"1.0","\\u0074ype":"\\u0061b"}';
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  await ingest(client, { as: key, body: `{"events":[${text}]}` });
  assert.deepEqual(idsIn(await getPage(client, key, '?type=ab')), ['1']);
});

test('`from` (inclusive) and `to` (exclusive) filter by the time of receipt', async () => {
  const [early, late] = [makeEvents(2, { time: '2030-01-01T00:00:00Z' }), makeEvents(2)];
  const key = await spaceWith(early);
  await sleep(20);
  await ingest(client, { as: key, body: { events: late } });
  const { items } = await getPage(client, key);
  const [first, second] = [items[0]?.receivedAt ?? '', items[2]?.receivedAt ?? ''];
  assert.ok(first < second);
  const cases: [string, SentEvent[]][] = [
    [`from=${first}`, [...early, ...late]],
    [`from=${second}`, late],
    [`to=${second}`, early],
    [`to=${first}`, []],
    [`from=${first}&to=${second}`, early],
    [`from=${second}&to=${first}`, []],
    ['from=2020-01-01T00:00:00Z', [...early, ...late]],
    ['to=2020-01-01T00:00:00%2B02:00', []],
    ['from=2999-01-01T00:00:00.123456Z', []],
  ];
  for (const [query, expected] of cases)
    assert.deepEqual((await pagesOf(key, 1, `&${query}`)).flat(), idsOf(expected), query);
});

test('rejects an invalid query parameter and names the parameter', async () => {
  const cases = [
    ['limit=0', 'limit: must be at least 1'],
    ['limit=201', 'limit: must be at most 200'],
    ['limit=-1', 'limit: must be at least 1'],
    ['limit=1.5', 'limit: must be an integer'],
    ['limit=ten', 'limit: must be an integer'],
    ['limit=', 'limit: must be an integer'],
    ['limit=1&limit=2', 'limit: is given twice'],
    ['after=', 'after: must not be empty'],
    ['after=x', 'after: is not a cursor'],
    ['after=1', 'after: is not a cursor'],
    ['after=MQ%3D%3D', 'after: is not a cursor'],
    ['after=LTE', 'after: is not a cursor'],
    [`after=${'A'.repeat(201)}`, 'after: must have at most 200 characters'],
    ['from=yesterday', 'from: must be a time'],
    ['from=2026-03-04', 'from: must be a time'],
    ['from=2026-02-30T00:00:00Z', 'from: must be a time'],
    ['to=2026-03-04T05:06:60Z', 'to: must be a time'],
    ['to=1790000000', 'to: must be a time'],
    ['type=', 'type: must not be empty'],
    ['source=', 'source: must not be empty'],
    ['subject=', 'subject: must not be empty'],
    ['typ=a', 'typ: unknown member (did you mean type?)'],
    ['time=a', 'time: unknown member'],
    ['spaceId=1', 'spaceId: must be a UUID'],
    ['limit=0&typ=a&from=x', 'limit: must be at least 1'],
  ] as const;
  for (const [query, expected] of cases) {
    const { status, headers, text, json } = await client(`/events?${query}`, { as: shopKey });
    assert.equal(status, 400, query);
    assertResponseMatches({ method: 'GET', path: '/events', status, headers, body: text });
    const issues = json['issues'] as { message: string }[];
    assert.ok(
      issues.some(({ message }) => message.startsWith(expected)),
      `${query}: ${text}`,
    );
  }
});

test('rejects unknown query parameters of POST /events', async () => {
  const answer = await client('/events?spaceid=x', { as: shopKey, body: { events: [] } });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /spaceid: unknown member \(did you mean spaceId/);
});
