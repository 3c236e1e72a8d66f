import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { type RawAnswer, readAnswer } from './raw-http.ts';

/** A request that the service has begun to read and whose body is not sent to its end. */
export interface SlowRequest {
  /** Sends the rest and waits for the answer. */
  finish(): Promise<RawAnswer>;
  /** Hangs up. */
  abandon(): void;
}

/**
 * Begins a batch of events: resolves when the service has said that it wants the body, and the first
 * half of that is sent.
 */
export async function beginBatch(
  port: number,
  key: string,
  events: readonly unknown[],
  agent?: Agent,
): Promise<SlowRequest> {
  const body = Buffer.from(JSON.stringify({ events }));
  const half = body.length >> 1;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/events',
    method: 'POST',
    agent: agent ?? false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  outgoing.on('error', () => {});
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  // Whoever does not wait for the answer need not hear that there is none.
  answered.catch(() => {});
  const wanted = once(outgoing, 'continue');
  outgoing.flushHeaders();
  await wanted;
  outgoing.write(body.subarray(0, half));
  return {
    finish: async () => {
      outgoing.end(body.subarray(half));
      const [incoming] = await answered;
      return readAnswer(incoming);
    },
    abandon: () => outgoing.destroy(),
  };
}
