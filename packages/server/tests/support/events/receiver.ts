import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startTestServer } from '../http/test-server.ts';
import type { SentEvent } from './events.ts';

/** Setting that allows deliveries to local receivers. */
export const ALLOW_RECEIVERS = { GATEHOUSE_DELIVERY_ALLOW: '127.0.0.0/8' } as const;

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly event: SentEvent;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  /** Status of the response, or `null` if no response was sent yet. */
  status: number | null;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Determines the response. `'hang'` sends no response until the receiver is closed. */
export type Behaviour = (received: Received) => Reply | 'hang' | Promise<Reply | 'hang'>;

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** Requests in order of arrival, including retries. */
  readonly received: Received[];
  connections(): number;
  behave(behaviour: Behaviour): void;
  /** Returns the IDs of the events that the receiver answered with 2xx, in order of arrival. */
  taken(): string[];
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let behaviour: Behaviour = () => ({ status: 204 });
  const endpoint = await startTestServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // The sender has already closed the connection.
      return;
    }
    const text = Buffer.concat(chunks).toString();
    const { headers, url: path = '' } = incoming;
    const id = String(headers['webhook-id']);
    const request: Received = {
      id,
      path,
      event: JSON.parse(text) as SentEvent,
      text,
      headers,
      status: null,
    };
    received.push(request);
    const reply = await behaviour(request);
    if (reply === 'hang') return;
    request.status = reply.status;
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  const sockets = new Set<object>();
  endpoint.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    url: `${endpoint.origin}/hook`,
    received,
    connections: () => sockets.size,
    behave: (next) => {
      behaviour = next;
    },
    taken: () =>
      received
        .filter(({ status }) => status !== null && status >= 200 && status < 300)
        .map(({ event }) => String(event['id'])),
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

/** Verifies the signature of a request, but not the age of its timestamp. Throws if the signature is missing. */
export function verify({ text, headers }: Received, secret: string): void {
  const webhook = new Webhook(secret);
  const id = String(headers['webhook-id']);
  const time = new Date(Number(headers['webhook-timestamp']) * 1000);
  const made = webhook.sign(id, time, text);
  const given = String(headers['webhook-signature']).split(' ');
  if (!given.includes(made)) throw new Error(`the signatures ${given} do not include ${made}`);
}

/** Verifies a request with the Standard Webhooks package, including the timestamp tolerance. */
export function verifyNow({ text, headers }: Received, secret: string): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}

export async function slowly(milliseconds: number, reply: Reply): Promise<Reply> {
  await sleep(milliseconds);
  return reply;
}
