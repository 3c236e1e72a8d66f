import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { FairLookups, type Resolve } from '../../../lib/network/index.ts';
import { createWebhookSender, type WebhookSenderOptions } from './index.ts';
import type { WebhookMessage } from './webhook-sender.ts';

export const MESSAGE: WebhookMessage = {
  headers: { 'content-type': 'application/cloudevents+json', 'webhook-id': 'msg_1' },
  body: Buffer.from('{"id":"1"}'),
};
const LOCAL = ['127.0.0.0/8', '::1'];

/** Options of a sender. `resolve` replaces the system resolver. */
export interface SenderOptions extends Partial<WebhookSenderOptions> {
  readonly resolve?: Resolve;
}

export const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';

/** Creates a sender that may connect to this machine. */
export function senderTo({ resolve, ...options }: SenderOptions = {}) {
  const limits = { refusalMs: 50, ...options.limits };
  const lookups = new FairLookups(resolve === undefined ? {} : { resolve });
  return createWebhookSender({ allowed: LOCAL, userAgent: 'test', lookups, ...options, limits });
}

/** Starts an HTTP server that stops after the tests of the file. */
export async function serve(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** Sends one message on a new connection. */
export async function postOnce(url: string, options: SenderOptions = {}) {
  const target = senderTo(options).open(url, SPACE);
  const outcome = await target.post(MESSAGE);
  target.close();
  return outcome;
}
