import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { EventStream } from './event-stream.ts';

async function textOf(stream: EventStream): Promise<string> {
  return Buffer.concat(await stream.toArray()).toString();
}

test('each piece of data is an event', async () => {
  const stream = new EventStream(async function* () {
    yield 'one';
    yield 'two';
  });
  assert.equal(await textOf(stream), 'data: one\n\ndata: two\n\n');
});

test('whoever makes the events is not held up by a reader that does not read', async () => {
  const made = Promise.withResolvers<void>();
  const stream = new EventStream(async function* () {
    for (let n = 0; n < 1000; n++) yield 'x'.repeat(1000);
    made.resolve();
  });
  await made.promise;
  assert.equal((await textOf(stream)).length, 1000 * 1008);
});

test('whoever makes the events hears that nobody listens any more', async () => {
  const heard = Promise.withResolvers<void>();
  const stream = new EventStream(async function* (signal) {
    yield 'one';
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    heard.resolve();
    yield 'two';
  });
  await soon();
  stream.destroy();
  await heard.promise;
});

test('a silent stream shows that it lives', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const end = Promise.withResolvers<void>();
  const stream = new EventStream(async function* () {
    yield* [];
    await end.promise;
  });
  t.mock.timers.tick(15_000);
  end.resolve();
  assert.equal(await textOf(stream), ':\n\n');
});

test('a fault of whoever makes the events ends the stream with it', async () => {
  const stream = new EventStream(async function* () {
    yield 'one';
    throw new Error('no');
  });
  await assert.rejects(textOf(stream), /no/);
});
