import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from './send-question.ts';

const STREAM = ':\n\ndata: {"delta":"Grüße 💥"}\n\nevent: x\ndata: 2\n\ndata: [DONE]\n\n';

/** The events of these bytes, when they come so many at a time. */
async function eventsOf(text: string, atATime: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += atATime)
        controller.enqueue(bytes.slice(at, at + atATime));
      controller.close();
    },
  });
  const events = [];
  for await (const data of readEvents(body)) if (data !== '') events.push(data);
  return events;
}

test('events are the same however their bytes are split', async () => {
  for (let atATime = 1; atATime <= STREAM.length; atATime += 1)
    assert.deepEqual(await eventsOf(STREAM, atATime), ['{"delta":"Grüße 💥"}', '2', '[DONE]']);
});

test('a stream that ends in the middle of a line gives what was whole', async () => {
  assert.deepEqual(await eventsOf('data: 1\n\ndata: 2', 3), ['1']);
});

test('every sign of life is told of, comments too', async () => {
  const body = new Response(':\n\n').body;
  assert.ok(body);
  const events = [];
  for await (const data of readEvents(body)) events.push(data);
  assert.deepEqual(events, ['']);
});
