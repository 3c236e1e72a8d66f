import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawRequest {
  readonly port: number;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Request body. A list is sent chunked, without `Content-Length`. */
  readonly body?: string | Uint8Array | readonly Uint8Array[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * Sends a request with exactly these headers and bytes on a keep-alive connection. Supports responses that arrive
 * before the end of the request body.
 */
export async function sendRaw(raw: RawRequest): Promise<RawAnswer> {
  const { port, path, method = 'POST', headers = {}, body = '' } = raw;
  const agent = new Agent({ keepAlive: true });
  const isComplete = typeof body === 'string' || body instanceof Uint8Array;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent,
    headers: isComplete ? { 'content-length': Buffer.byteLength(body), ...headers } : headers,
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  // Sending the rest of the request body fails after an early response. This error is expected.
  outgoing.on('error', () => {});
  if (isComplete) outgoing.end(body);
  else {
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  }
  try {
    const [incoming] = await answered;
    return await readAnswer(incoming);
  } finally {
    agent.destroy();
  }
}

export async function readAnswer(incoming: IncomingMessage): Promise<RawAnswer> {
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: await text(incoming),
  };
}
