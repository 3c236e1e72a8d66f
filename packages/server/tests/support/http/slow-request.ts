import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { type RawAnswer, readAnswer } from './raw-http.ts';

/** A request whose body is only partially sent. */
export interface SlowRequest {
  finish(): Promise<RawAnswer>;
  abandon(): void;
}

interface Started {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent?: Agent;
}

/**
 * Starts a `POST` request. Resolves after the service has requested the body (`100 Continue`) and the first half of the body has been
 * sent.
 */
export async function beginRequest(
  port: number,
  { path, headers, body: text, agent }: Started,
): Promise<SlowRequest> {
  const body = Buffer.from(text);
  const half = body.length >> 1;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    agent: agent ?? false,
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
      ...headers,
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

/** Starts a request that sends events, like `beginRequest`. */
export function beginBatch(
  port: number,
  key: string,
  events: readonly unknown[],
  agent?: Agent,
): Promise<SlowRequest> {
  return beginRequest(port, {
    path: '/events',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ events }),
    ...(agent === undefined ? {} : { agent }),
  });
}
