import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startTestServer } from '../../server/tests/support/http/test-server.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request. */
export type Behaviour = (response: ServerResponse, received: Received) => void | Promise<void>;

/** A server on a free port. Each request takes the next behaviour; the last one repeats. */
export interface HostileServer extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
}

export async function startHostileServer(...behaviours: Behaviour[]): Promise<HostileServer> {
  const received: Received[] = [];
  const server = await startTestServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: await text(request) };
    received.push(one);
    await behaviours[Math.min(received.length, behaviours.length) - 1]?.(response, one);
  });
  return {
    url: server.origin,
    received,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Answers with JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers with an error of Gatehouse. */
export function refuse(status: number, headers?: Record<string, string>): Behaviour {
  const body = { message: 'No.', code: 'test.refused', issues: [{ message: 'sub: is required' }] };
  return json(status, body, { 'x-request-id': 'request-7', ...headers });
}

/** Sends half of the body and closes the connection. */
export const breakOff: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"items":[', () => response.destroy());
};

/** Closes the connection without a response. */
export const hangUp: Behaviour = (response) => void response.destroy();

/** Sends nothing. */
export const ignore: Behaviour = () => {};
