import assert from 'node:assert/strict';
import { GatehouseError } from '../../../../packages/client/src/errors.ts';
import {
  type Message,
  parseData,
  readMessages,
} from '../../../../packages/client/src/http/messages.ts';
import { toError } from '../../../../packages/client/src/http/to-error.ts';
import type { Target } from '../target.ts';

/** Responses that the client reads: as a stream of server-sent events, and as an error. */
export const client: Target = {
  name: 'client',
  sources: ['/packages/client/src/http/messages.ts', '/packages/client/src/http/to-error.ts'],
  seeds: [
    'retry: 2000\n\nid: 5\ndata: {"event":{"id":"1"},"position":"5"}\n\n: comment\n\ndata: a\ndata: b\n\n',
    'data: {"type":"text-delta","delta":"Größe"}\r\n\r\ndata: [DONE]\r\n\r\n',
    '{"message":"m","code":"http.not-found","issues":[{"message":"a"}],"loginUrl":"u"}',
  ],
  words: [
    'data',
    'data: ',
    'id: ',
    'retry: ',
    ':',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    '\0',
    '__proto__: a',
    '\ufeff',
    '\u2028',
    'event: x\n',
    '"issues":',
    '"message":null',
  ],
  share: 0.04,
  async check(input) {
    const whole = await messagesOf(input, [input.length]);
    const cuts = [input.length % 5, input.length % 11, input.length % 31];
    assert.deepEqual(await messagesOf(input, cuts), whole, `with cuts after ${cuts} bytes`);
    const retryAfter = input.toString('latin1', 0, 20).replace(/[^\x20-\x7e]/g, '');
    const error = await toError(
      new Response(new Uint8Array(input), { status: 503, headers: { 'retry-after': retryAfter } }),
    );
    assert.equal(typeof error.message, 'string');
    const seconds = 'retryAfter' in error ? error.retryAfter : undefined;
    assert.ok(seconds === undefined || (typeof seconds === 'number' && seconds >= 0));
  },
};

/** @param cuts lengths of the pieces, which are repeated until the end. */
async function messagesOf(input: Buffer, cuts: readonly number[]): Promise<Message[]> {
  const messages: Message[] = [];
  const headers = { 'content-type': 'text/event-stream' };
  for await (const message of readMessages(new Response(streamOf(input, cuts), { headers }))) {
    const { retry, data } = message;
    assert.ok(retry === undefined || (Number.isFinite(retry) && retry >= 0), `retry is ${retry}`);
    if (data !== undefined) assertParses(data);
    messages.push(message);
  }
  return messages;
}

function streamOf(input: Buffer, cuts: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      const end = at + Math.max(1, cuts[turn % cuts.length] ?? 1);
      turn += 1;
      if (at >= input.length) controller.close();
      else controller.enqueue(new Uint8Array(input.subarray(at, end)));
      at = end;
    },
  });
}

function assertParses(data: string): void {
  try {
    parseData(data);
  } catch (error) {
    assert.ok(error instanceof GatehouseError);
  }
}
