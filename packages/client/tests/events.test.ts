import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { EventBuffer, Gatehouse } from '../src/index.ts';
import { type Behaviour, json, refuse, startHostileServer } from './hostile-server.ts';

const event = (id: string) => ({ id, source: 'https://shop.example', type: 'example.order.paid' });

test('an event buffer sends an event that is added at the end of a flush', async () => {
  const rejected = json(200, { processed: 0, eventIds: [], errors: [{ index: 0, error: 'No.' }] });
  for (let microtasks = 0; microtasks < 10; microtasks++) {
    await using server = await startHostileServer(rejected);
    const gatehouse = new Gatehouse({ url: server.url, apiKey: 'gh_key', spaceId: 'space' });
    const closed = Promise.withResolvers<void>();
    const failed: string[] = [];
    const buffer = new EventBuffer(gatehouse, {
      onFailed: async (some) => {
        failed.push(...some.map((one) => one.event.id));
        if (failed.length > 1) return;
        for (let n = 0; n < microtasks; n++) await null;
        buffer.add(event('second'));
        buffer.close().then(closed.resolve, closed.reject);
      },
    });
    buffer.add(event('first'));
    await buffer.flush();
    await closed.promise;
    assert.deepEqual(failed, ['first', 'second'], `after ${microtasks} microtasks`);
  }
});

test('an event buffer sends its events if its times are beyond the limit of timers', async () => {
  const stored: Behaviour = async (response, received) => {
    await sleep(50);
    await json(200, { success: true, processed: 1, failed: 0, eventIds: ['1'] })(
      response,
      received,
    );
  };
  await using server = await startHostileServer(stored);
  const gatehouse = new Gatehouse({ url: server.url, apiKey: 'gh_key', spaceId: 'space' });
  const buffer = new EventBuffer(gatehouse, {
    flushInterval: Number.POSITIVE_INFINITY,
    onFailed: (failed) => assert.fail(failed[0]?.reason),
  });
  buffer.add(event('1'));
  await sleep(20);
  assert.equal(server.received.length, 0, 'the interval has not ended');
  await buffer.close({ timeout: Number.POSITIVE_INFINITY });
  assert.equal(server.received.length, 1);
  assert.equal(buffer.size, 0);
});

test('a live stream waits a minute if the service asks for a longer pause', async (t) => {
  const live: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ event: event('1') })}\n\n`);
  };
  await using server = await startHostileServer(refuse(503, { 'retry-after': '300' }), live);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let requests = 0;
  const gatehouse = new Gatehouse({
    url: server.url,
    log: (entry) => {
      if (entry.event === 'request') requests++;
    },
  });
  const disconnected = Promise.withResolvers<unknown>();
  const stream = gatehouse.events.stream({}, { onDisconnect: disconnected.resolve });
  const first = stream.next();
  await disconnected.promise;
  t.mock.timers.tick(59_999);
  await setImmediate();
  assert.equal(requests, 1);
  t.mock.timers.tick(15_001);
  assert.equal((await first).value?.event.id, '1');
  await stream.return();
});

test('a live stream sends its cursor as `after`, the name that its caller knows', async () => {
  const live: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`retry: 0\nid: Mg\ndata: ${JSON.stringify({ event: event('2') })}\n\n`);
  };
  await using server = await startHostileServer(live);
  const stream = new Gatehouse({ url: server.url }).events.stream({ after: 'MQ', type: 'a' });
  await stream.next();
  await stream.next();
  await stream.return();
  const [first, second] = server.received.map(({ url }) => url);
  assert.deepEqual(
    [first, second],
    ['/events/stream?after=MQ&type=a', '/events/stream?after=Mg&type=a'],
  );
});

test('a live stream fails if the response is a page, such as the sign-in page of a proxy', async () => {
  await using server = await startHostileServer((response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
  });
  const stream = new Gatehouse({ url: server.url }).events.stream();
  await assert.rejects(stream.next(), { name: 'InvalidResponseError' });
  assert.equal(server.received.length, 1);
});

test('a stream that is cancelled while it waits for a message closes its connection', async () => {
  for (const cancel of [
    (stream: AsyncGenerator) => stream.return(undefined),
    (stream: AsyncGenerator) => ReadableStream.from(stream).cancel(),
    (stream: AsyncGenerator) => {
      const readable = Readable.from(stream).on('error', () => {});
      readable.resume().destroy(new Error('The visitor has left.'));
    },
  ]) {
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    await using server = await startHostileServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n');
      response.on('close', closed.resolve);
    });
    const gatehouse = new Gatehouse({ url: server.url });
    const stream = gatehouse.events.stream({}, { onConnect: opened.resolve });
    const pending = stream.next();
    await opened.promise;
    await cancel(stream);
    assert.deepEqual(await pending, { done: true, value: undefined });
    await closed.promise;
  }
});
