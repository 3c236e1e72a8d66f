import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { SentEvent } from './events.ts';

/** Lets subscriptions send to receivers of tests. */
export const ALLOW_RECEIVERS = { GATEHOUSE_DELIVERY_ALLOW: '127.0.0.0/8' } as const;

export interface Received {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly path: string;
  readonly event: SentEvent;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  /** What was answered; null while nothing was. */
  status: number | null;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What is answered; `'hang'`: nothing, until the receiver is closed. */
export type Behaviour = (received: Received) => Reply | 'hang' | Promise<Reply | 'hang'>;

/** A target of subscriptions: a real HTTP server that remembers what it got. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** In the order in which requests came, repeats included. */
  readonly received: Received[];
  /** Connections that are open now. */
  connections(): number;
  behave(behaviour: Behaviour): void;
  /** The ids of the events that were answered 2xx, in the order of the requests. */
  taken(): string[];
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let behaviour: Behaviour = () => ({ status: 204 });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Its sender broke off.
      return;
    }
    const text = Buffer.concat(chunks).toString();
    const { headers, url: path = '' } = request;
    const id = String(headers['webhook-id']);
    const one: Received = {
      id,
      path,
      event: JSON.parse(text) as SentEvent,
      text,
      headers,
      status: null,
    };
    received.push(one);
    const reply = await behaviour(one);
    if (reply === 'hang') return;
    one.status = reply.status;
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<object>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    connections: () => sockets.size,
    behave: (next) => {
      behaviour = next;
    },
    taken: () =>
      received
        .filter(({ status }) => status !== null && status >= 200 && status < 300)
        .map(({ event }) => String(event['id'])),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Verifies a request as its receiver would, at the time of its signature; throws what is wrong. */
export function verify({ text, headers }: Received, secret: string): void {
  const webhook = new Webhook(secret);
  const id = String(headers['webhook-id']);
  const time = new Date(Number(headers['webhook-timestamp']) * 1000);
  const made = webhook.sign(id, time, text);
  const given = String(headers['webhook-signature']).split(' ');
  if (!given.includes(made)) throw new Error(`${given} does not have ${made}`);
}

/** Verifies it with the package, its clock included. */
export function verifyNow({ text, headers }: Received, secret: string): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}

/** Answers after a while. */
export async function slowly(milliseconds: number, reply: Reply): Promise<Reply> {
  await sleep(milliseconds);
  return reply;
}
