import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../api/api.ts';
import { type Failure, OFFLINE } from '../api/failure.ts';
import { readEvents, sendQuestion, type TurnEvent } from './send-question.ts';

const STREAM = ':\n\ndata: {"delta":"Grüße 💥"}\n\nevent: x\ndata: 2\n\ndata: [DONE]\n\n';

/** Returns the events of a stream that is split into chunks of `chunkSize` bytes. */
async function eventsOf(text: string, chunkSize: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkSize)
        controller.enqueue(bytes.slice(at, at + chunkSize));
      controller.close();
    },
  });
  const events = [];
  for await (const data of readEvents(body)) if (data !== '') events.push(data);
  return events;
}

test('parses the same events for any chunk size', async () => {
  for (let chunkSize = 1; chunkSize <= STREAM.length; chunkSize += 1)
    assert.deepEqual(await eventsOf(STREAM, chunkSize), ['{"delta":"Grüße 💥"}', '2', '[DONE]']);
});

test('ignores an incomplete last line', async () => {
  assert.deepEqual(await eventsOf('data: 1\n\ndata: 2', 3), ['1']);
});

test('yields an empty string for a comment', async () => {
  const body = new Response(':\n\n').body;
  assert.ok(body);
  const events = [];
  for await (const data of readEvents(body)) events.push(data);
  assert.deepEqual(events, ['']);
});

/** Returns the events of a turn in which the service sends these chunks. */
async function turn(...chunks: (object | string)[]): Promise<TurnEvent[]> {
  const body = chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    .join('');
  const service: Pick<Api, 'send'> = { send: async () => new Response(body) };
  return Array.fromAsync(
    sendQuestion(service, { method: 'POST', path: '/chat' }, new AbortController().signal),
  );
}

const START = { type: 'start', messageId: 'm1', messageMetadata: { conversationId: 'c1' } };

test('converts chunks to events and ignores unknown chunks', async () => {
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
      { kind: 'finished', suggestions: [] },
    ],
  );
});

test('a failure contains the error code from the preceding metadata chunk', async () => {
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

test('a turn that fails because the link has ended reports the end of the link and can be retried with another link', async () => {
  const reason = { code: 'links.revoked', retriable: false };
  const [event] = await turn(
    { type: 'message-metadata', messageMetadata: reason },
    { type: 'error', errorText: 'x' },
  );
  const failure = { name: 'answer-broken', retriable: true, seconds: null };
  assert.deepEqual(event, { kind: 'failed', failure, hasLinkEnded: true });
});

test('a stream that ends without the end of its answer was stopped by another page', async () => {
  assert.deepEqual((await turn(START, '[DONE]')).at(-1), { kind: 'stopped' });
});

const BUSY: Failure = { name: 'turn-running', retriable: true, seconds: 2 };

test('a question is sent again with growing delays while another answer is in progress, and then fails', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sentAfter: number[] = [];
  let seconds = 0;
  const service: Pick<Api, 'send'> = {
    send: async () => {
      sentAfter.push(seconds);
      return BUSY;
    },
  };
  const call = { method: 'POST', path: '/chat' } as const;
  const events = Array.fromAsync(sendQuestion(service, call, new AbortController().signal));
  for (; seconds < 60; seconds += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(1000);
  }
  assert.deepEqual(await events, [{ kind: 'failed', failure: BUSY }]);
  assert.deepEqual(sentAfter, [0, 2, 6, 14, 30]);
});

test('a question that waits for another answer can be stopped', async () => {
  const stop = new AbortController();
  const sent: string[] = [];
  const service: Pick<Api, 'send'> = {
    send: async ({ path }) => {
      sent.push(path);
      setImmediate(() => stop.abort());
      return BUSY;
    },
  };
  const call = { method: 'POST', path: '/chat' } as const;
  await assert.rejects(Array.fromAsync(sendQuestion(service, call, stop.signal)));
  assert.deepEqual(sent, ['/chat']);
});

test('a truncated or invalid stream ends with a failure', async () => {
  for (const chunks of [[START], [START, 'not JSON']]) {
    const last = (await turn(...chunks)).at(-1);
    assert.deepEqual(last, { kind: 'failed', failure: OFFLINE });
  }
});
