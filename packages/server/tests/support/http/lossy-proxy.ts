import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startTestServer } from './test-server.ts';

/** One request, with the response of the service. */
export interface Attempt {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** `null` if the proxy itself responded. */
  readonly response: Response | null;
}

export interface LossyProxy extends AsyncDisposable {
  readonly url: string;
  readonly attempts: readonly Attempt[];
}

/** Headers that belong to one connection, and the length, which `fetch` sets. */
const NOT_FORWARDED = new Set(
  'connection content-length host http2-settings transfer-encoding upgrade'.split(' '),
);

/**
 * Starts a proxy that loses the response to the first request per path: the service processes the request, then the proxy
 * closes the connection. The proxy answers the second request per path with 503 and `Retry-After`, and forwards all others.
 */
export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const attempts: Attempt[] = [];
  const server = await startTestServer(async (incoming, outgoing) => {
    const { url: path = '', method = 'GET', headers } = incoming;
    const body = new Uint8Array(await buffer(incoming));
    const number = attempts.filter((attempt) => attempt.path === path).length + 1;
    if (number === 2) {
      attempts.push({ path, headers, response: null });
      outgoing.writeHead(503, { 'retry-after': '1' }).end('{}');
      return;
    }
    const sent = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !NOT_FORWARDED.has(name) ? [[name, value] as const] : [],
    );
    const response = await fetch(target + path, {
      method,
      headers: Object.fromEntries(sent),
      body,
    });
    const text = await response.text();
    attempts.push({ path, headers, response });
    if (number === 1) outgoing.destroy();
    else outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(text);
  });
  return {
    url: server.origin,
    attempts,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
