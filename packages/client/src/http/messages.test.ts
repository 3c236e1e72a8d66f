import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, readMessages } from './messages.ts';

const STREAM = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } };

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<Message[]> {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(
    chunks.map((one) => (typeof one === 'string' ? encoder.encode(one) : one)),
  );
  return Array.fromAsync(readMessages(new Response(body, STREAM)));
}

const data = async (...chunks: readonly (string | Uint8Array)[]) =>
  (await read(...chunks)).map((message) => message.data);

describe('server-sent events', () => {
  test('have an ID, data and a delay', async () => {
    assert.deepEqual(await read('retry: 2000\nid: MA\n\nid: MQ\ndata: {"a":1}\n\n'), [
      { id: 'MA', data: undefined, retry: 2000 },
      { id: 'MQ', data: '{"a":1}', retry: undefined },
    ]);
  });

  test('have no delay if it is not a whole number, and a delay of at most an hour', async () => {
    for (const [text, retry] of [
      ['', undefined],
      ['soon', undefined],
      ['-1', undefined],
      ['1.5', undefined],
      ['0', 0],
      ['99999999999999999999', 3_600_000],
    ] as const)
      assert.deepEqual(
        await read(`retry: ${text}\n\n`),
        [{ id: undefined, data: undefined, retry }],
        text,
      );
  });

  test('may be divided at any byte', async () => {
    const bytes = new TextEncoder().encode('id: é\r\ndata: a\r\ndata: é\r\n\r\ndata: b\r\n\r\n');
    for (let at = 0; at <= bytes.length; at++) {
      const messages = await read(bytes.slice(0, at), bytes.slice(at));
      assert.deepEqual(
        messages.filter((one) => one.data !== undefined).map((one) => [one.id, one.data]),
        [
          ['é', 'a\né'],
          [undefined, 'b'],
        ],
        `divided at ${at}`,
      );
    }
  });

  test('may have a long line in many pieces', async () => {
    const piece = 'twenty characters …';
    const pieces = Array.from({ length: 2000 }, () => piece);
    assert.deepEqual(await data('data: ', ...pieces, '\r', '\n\n', 'data: b\n\n'), [
      piece.repeat(2000),
      'b',
    ]);
  });

  test('may use any line break', async () => {
    assert.deepEqual(await data('data: a\n\ndata: b\r\rdata: c\r\n\r\ndata: d\n\n'), [
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  test('contain comments, which are ignored', async () => {
    assert.deepEqual(await data(':\n\n: shutting down\n\ndata: a\n\n'), [
      undefined,
      undefined,
      'a',
    ]);
  });

  test('are dropped if the connection ends in the middle', async () => {
    assert.deepEqual(await data('data: a\n\ndata: b\n'), ['a']);
  });
});

test('an idle timeout beyond the limit of timers does not end a stream at once', async () => {
  const late = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await sleep(20);
      controller.enqueue(new TextEncoder().encode('data: 1\n\n'));
      controller.close();
    },
  });
  const messages = readMessages(new Response(late, STREAM), {
    idleTimeout: Number.POSITIVE_INFINITY,
  });
  assert.equal((await messages.next()).value?.data, '1');
});

test('a stream without bytes ends with a timeout', async () => {
  const silent = new Response(new ReadableStream(), STREAM);
  const messages = readMessages(silent, { idleTimeout: 20 });
  await assert.rejects(messages.next(), {
    name: 'TimeoutError',
    message: 'The stream was silent for 20 ms.',
  });
});
