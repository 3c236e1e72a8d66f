import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../support/client.ts';
import { listen, StreamReader } from '../support/event-stream.ts';
import { type FeedItem, idsOf, ingest, makeEvent } from '../support/events.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { openShop } from '../support/shop.ts';

const MIB = 1024 * 1024;
const { client, session, service, ...shop } = await openShop({
  env: { GATEHOUSE_EVENTS_LISTENERS: '6', GATEHOUSE_EVENTS_LISTENERS_SPACE: '4' },
});
after(() => shop[Symbol.asyncDispose]());

async function newKey(): Promise<string> {
  return makeKey(client, session, (await makeSpace(client, session)).id);
}

async function metric(name: string): Promise<number> {
  const { text } = await client('/metrics');
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2000; tries += 1) {
    if (await holds()) return;
    await sleep(10);
  }
  assert.fail('it does not come true');
}

/** Opens a stream, waits for its first bytes, and reads nothing more until it is resumed. */
async function openUnread(port: number, key: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET /events/stream HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

/** What a client had heard of events when its connection broke. */
async function readRest(socket: Socket): Promise<StreamReader> {
  const reader = new StreamReader();
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (piece) => {
    text += piece;
  });
  await once(socket, 'close');
  const chunked = text.slice(text.indexOf('\r\n\r\n') + 4);
  for (let at = 0; at < chunked.length; ) {
    const end = chunked.indexOf('\r\n', at);
    const size = Number.parseInt(chunked.slice(at, end), 16);
    const chunk = chunked.slice(end + 2, end + 2 + size);
    if (end === -1 || !(chunk.length > 0)) break;
    reader.read(Buffer.from(chunk, 'latin1').toString());
    at = end + 2 + size + 2;
  }
  return reader;
}

test('a listener that does not read is hung up on, and goes on from the last event it has heard', async () => {
  const key = await newKey();
  const socket = await openUnread(service.port, key);
  using reading = await listen(service.url, { as: key });
  const before = await metric('gatehouse_event_listeners_dropped_total');
  const sent: string[] = [];
  await until(async () => {
    const events = Array.from({ length: 4 }, () => makeEvent({ data: 'x'.repeat(MIB) }));
    await ingest(client, { as: key, body: { events } });
    sent.push(...idsOf(events));
    return (await metric('gatehouse_event_listeners_dropped_total')) > before;
  });
  assert.deepEqual(await reading.ids(sent.length), sent);

  const { heard, lastEventId } = await readRest(socket);
  const heardIds = heard.map(({ data }) => String((JSON.parse(data) as FeedItem).event['id']));
  assert.ok(heardIds.length < sent.length, 'it has heard everything');
  using resumed = await listen(service.url, { as: key, lastEventId });
  const rest = await resumed.ids(sent.length - heardIds.length);
  assert.deepEqual([...heardIds, ...rest], sent);
});

test('as many listen as may, in a space and in all, and a place is free when one leaves', async () => {
  const [one, two] = [await newKey(), await newKey()];
  await until(async () => (await metric('gatehouse_event_listeners')) === 0);
  const inOne = await Promise.all([1, 2, 3, 4].map(() => listen(service.url, { as: one })));
  const refused = await client('/events/stream', { as: one });
  assert.deepEqual([refused.status, refused.json['code']], [429, 'events.too-many-listeners']);
  assert.equal(refused.headers.get('retry-after'), '10');

  const inTwo = await Promise.all([1, 2].map(() => listen(service.url, { as: two })));
  const full = await client('/events/stream', { as: two });
  assert.deepEqual([full.status, full.json['code']], [503, 'events.too-many-listeners']);
  assert.equal(full.headers.get('retry-after'), '10');

  inOne[0]?.[Symbol.dispose]();
  await until(async () => {
    using stream = await listen(service.url, { as: two });
    return stream.response.status === 200;
  });
  for (const stream of [...inOne, ...inTwo]) stream[Symbol.dispose]();
});

test('streams end when the service stops, those that nobody reads too, and go on with the next one', async () => {
  using directory = temporaryDirectory();
  let key = '';
  const resume: string[] = [];
  {
    await using first = await startService(directory.path);
    const own = clientOf(first.url);
    const as = await signIn(own);
    key = await makeKey(own, as, (await makeSpace(own, as)).id);
    using stream = await listen(first.url, { as: key });
    const unread = await openUnread(first.port, key);
    const events = Array.from({ length: 6 }, () => makeEvent({ data: 'x'.repeat(MIB) }));
    await ingest(own, { as: key, body: { events } });
    await stream.ids(6);
    assert.equal(await first.stop(), 0);
    assert.equal(await stream.ended, true);
    resume.push(stream.heard[2]?.lastEventId ?? '', ...idsOf(events).slice(3));
    unread.destroy();
  }
  await using second = await startService(directory.path);
  const [lastEventId = '', ...rest] = resume;
  using stream = await listen(second.url, { as: key, lastEventId });
  assert.deepEqual(await stream.ids(3), rest);
});
