import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { type RawAnswer, readAnswer } from './raw-http.ts';

/** A request whose body is only partially sent. */
export interface SlowRequest {
  finish(): Promise<RawAnswer>;
  abandon(): void;
}

/**
 * Starts a request that sends events. Resolves after the service has requested the body (`100 Continue`) and the first
 * half of the body has been sent.
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
  // Avoids an unhandled rejection if the caller does not wait for the response.
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
