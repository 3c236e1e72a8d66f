import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../api/api.ts';
import { OFFLINE } from '../api/failure.ts';
import { readEvents, sendQuestion, type TurnEvent } from './send-question.ts';

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

/** The events of a question that the service answers with these chunks. */
async function turn(...chunks: (object | string)[]): Promise<TurnEvent[]> {
  const body = chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    .join('');
  const service: Pick<Api, 'send'> = { send: async () => new Response(body) };
  return Array.fromAsync(sendQuestion(service, {}, new AbortController().signal));
}

const START = { type: 'start', messageId: 'm1', messageMetadata: { conversationId: 'c1' } };

test('the chunks of an answer are events, and unknown chunks are ignored', async () => {
  assert.deepEqual(
    await turn(
      START,
      { type: 'text-delta', delta: 'Five days' },
      { type: 'later-version' },
      { type: 'finish' },
      '[DONE]',
    ),
    [
      { kind: 'started', messageId: 'm1', conversationId: 'c1' },
      { kind: 'text', text: 'Five days' },
      { kind: 'finished' },
    ],
  );
});

test('a failure has the reason of the chunk before it', async () => {
  const reason = { code: 'chat.answer-stalled', retriable: true };
  const events = await turn(
    START,
    { type: 'message-metadata', messageMetadata: reason },
    { type: 'error', errorText: 'x' },
    { type: 'text-delta', delta: 'ignored' },
  );
  assert.deepEqual(events.slice(1), [
    { kind: 'failed', failure: { name: 'answer-stalled', retriable: true, seconds: null } },
  ]);
});

test('a failure says whether the link has ended', async () => {
  const reason = { code: 'links.revoked', retriable: false };
  const [event] = await turn(
    { type: 'message-metadata', messageMetadata: reason },
    { type: 'error', errorText: 'x' },
  );
  assert.equal(event?.kind === 'failed' && event.hasLinkEnded, true);
});

test('a stream that breaks off or is not valid is a failure', async () => {
  for (const chunks of [[START], [START, 'not JSON']]) {
    const last = (await turn(...chunks)).at(-1);
    assert.deepEqual(last, { kind: 'failed', failure: OFFLINE });
  }
});
