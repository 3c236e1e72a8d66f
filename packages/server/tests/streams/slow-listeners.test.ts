import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { listen, StreamReader } from '../support/events/event-stream.ts';
import { type FeedItem, idsOf, ingest, makeEvent } from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const { client, session, service, ...shop } = await startServiceWithSpace({
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

/** Opens a stream, waits for its first bytes, and stops reading. */
async function openUnread(port: number, key: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET /events/stream HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

/** Reads the rest of a stream until its connection closes. */
async function readRest(socket: Socket): Promise<StreamReader> {
  const reader = new StreamReader();
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (piece) => {
    text += piece;
  });
  await once(socket, 'close');
  const chunked = text.slice(text.indexOf('\r\n\r\n') + 4);
  for (let offset = 0; offset < chunked.length; ) {
    const end = chunked.indexOf('\r\n', offset);
    const size = Number.parseInt(chunked.slice(offset, end), 16);
    const chunk = chunked.slice(end + 2, end + 2 + size);
    if (end === -1 || !(chunk.length > 0)) break;
    reader.read(Buffer.from(chunk, 'latin1').toString());
    offset = end + 2 + size + 2;
  }
  return reader;
}

test('a listener that does not read is disconnected and resumes after the last received event', async () => {
  const key = await newKey();
  const socket = await openUnread(service.port, key);
  using reading = await listen(service.url, { as: key });
  const before = await metric('gatehouse_event_listeners_dropped_total');
  const sent: string[] = [];
  await until('a listener is disconnected', async () => {
    const events = Array.from({ length: 4 }, () => makeEvent({ data: 'x'.repeat(MIB) }));
    await ingest(client, { as: key, body: { events } });
    sent.push(...idsOf(events));
    return (await metric('gatehouse_event_listeners_dropped_total')) > before;
  });
  assert.deepEqual(await reading.ids(sent.length), sent);

  const { received, lastEventId } = await readRest(socket);
  const receivedIds = received.map(({ data }) =>
    String((JSON.parse(data) as FeedItem).event['id']),
  );
  assert.ok(receivedIds.length < sent.length, 'the listener received everything');
  using resumed = await listen(service.url, { as: key, lastEventId });
  const rest = await resumed.ids(sent.length - receivedIds.length);
  assert.deepEqual([...receivedIds, ...rest], sent);
});

test('rejects listeners above the limits per space and in total until another listener leaves', async () => {
  const [one, two] = [await newKey(), await newKey()];
  await until('no listener is left', async () => (await metric('gatehouse_event_listeners')) === 0);
  const inOne = await Promise.all([1, 2, 3, 4].map(() => listen(service.url, { as: one })));
  const rejected = await client('/events/stream', { as: one });
  assert.deepEqual([rejected.status, rejected.json['code']], [429, 'events.too-many-listeners']);
  assert.equal(rejected.headers.get('retry-after'), '10');

  const inTwo = await Promise.all([1, 2].map(() => listen(service.url, { as: two })));
  const full = await client('/events/stream', { as: two });
  assert.deepEqual([full.status, full.json['code']], [503, 'events.too-many-listeners']);
  assert.equal(full.headers.get('retry-after'), '10');

  inOne[0]?.[Symbol.dispose]();
  await until('another listener is accepted', async () => {
    using stream = await listen(service.url, { as: two });
    return stream.response.status === 200;
  });
  for (const stream of [...inOne, ...inTwo]) stream[Symbol.dispose]();
});

test('streams end when the service stops and can resume after a restart', async () => {
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
    resume.push(stream.received[2]?.lastEventId ?? '', ...idsOf(events).slice(3));
    unread.destroy();
  }
  await using second = await startService(directory.path);
  const [lastEventId = '', ...rest] = resume;
  using stream = await listen(second.url, { as: key, lastEventId });
  assert.deepEqual(await stream.ids(3), rest);
});
