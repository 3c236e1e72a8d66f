import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { type EventFormat, type EventSource, EventStream } from './event-stream.ts';

/** Format that merges consecutive strings but not numbers. */
const FORMAT: EventFormat<string | number> = {
  dataOf: String,
  join: (first, second) =>
    typeof first === 'string' && typeof second === 'string' ? first + second : null,
};

function streamOf(source: EventSource<string | number>): EventStream<string | number> {
  return new EventStream(source, FORMAT);
}

async function textOf(stream: EventStream<string | number>): Promise<string> {
  return Buffer.concat(await stream.toArray()).toString();
}

test('sends each value as an event', async () => {
  const stream = streamOf(async function* () {
    yield 'one';
    yield 'two';
  });
  assert.equal(await textOf(stream), 'data: one\n\ndata: two\n\n');
});

test('does not block the event source if the client does not read', async () => {
  const made = Promise.withResolvers<void>();
  const stream = streamOf(async function* () {
    for (let n = 0; n < 1000; n++) yield 'x'.repeat(1000);
    made.resolve();
  });
  await made.promise;
  assert.equal((await textOf(stream)).replaceAll(/[^x]/g, '').length, 1000 * 1000);
});

test('merges events for a slow client and preserves their order', async () => {
  const made = Promise.withResolvers<void>();
  const stream = streamOf(async function* () {
    for (const number of [1, 2]) {
      for (let n = 0; n < 20_000; n++) yield 'x';
      yield number;
    }
    made.resolve();
  });
  await made.promise;
  assert.ok(stream.readableLength <= 16 * 1024 + 10);
  const events = (await textOf(stream)).split('\n\n').slice(0, -1);
  assert.ok(events.length < 2000, `${events.length} events`);
  const data = events.map((event) => event.replace('data: ', ''));
  const x = 'x'.repeat(20_000);
  assert.equal(data.join(''), `${x}1${x}2`);
  assert.ok(data.includes('1') && data.includes('2'), 'events that cannot be merged stay separate');
});

test('aborts the signal passed to the event source when the client disconnects', async () => {
  const aborted = Promise.withResolvers<void>();
  const stream = streamOf(async function* (signal) {
    yield 'one';
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    aborted.resolve();
    yield 'two';
  });
  await soon();
  stream.destroy();
  await aborted.promise;
});

test('sends a heartbeat while the source produces no events', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const end = Promise.withResolvers<void>();
  const stream = streamOf(async function* () {
    yield* [];
    await end.promise;
  });
  t.mock.timers.tick(15_000);
  end.resolve();
  assert.equal(await textOf(stream), ':\n\n');
});

test('breaks off the response if the event source fails', async () => {
  const stream = streamOf(async function* () {
    yield 'one';
    throw new Error('no');
  });
  await assert.rejects(textOf(stream), /no/);
});
