import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { FairLookups } from '../../../../packages/server/src/lib/network/index.ts';
import { createWebhookSender } from '../../../../packages/server/src/outbound/webhooks/sending/index.ts';
import {
  KEPT_BYTES,
  type WebhookTarget,
} from '../../../../packages/server/src/outbound/webhooks/sending/webhook-sender.ts';
import type { Target } from '../target.ts';

/** Milliseconds after which an attempt ends. */
const ATTEMPT_MS = 50;

let response: Buffer = Buffer.alloc(0);
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(response));
});
let opened: Promise<WebhookTarget> | undefined;

async function open(): Promise<WebhookTarget> {
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sender = createWebhookSender({
    allowed: ['127.0.0.0/8'],
    userAgent: 'fuzz',
    limits: { attemptMs: ATTEMPT_MS },
    lookups: new FairLookups(),
  });
  return sender.open(`http://127.0.0.1:${port}/`, 'a space');
}

/** Responses of a webhook target, as bytes on a connection that the target then closes. */
export const webhooks: Target = {
  name: 'webhooks',
  sources: ['/outbound/webhooks/sending/'],
  seeds: [
    'HTTP/1.1 204 No Content\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    'HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 410 Gone\r\nConnection: close\r\n\r\ngone',
    `HTTP/1.1 500 E\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n\r\n${'x'.repeat(3000)}`,
  ],
  words: [
    'HTTP/1.1 ',
    'HTTP/1.0 200 OK\r\n',
    'HTTP/2 200\r\n',
    '\r\n',
    '\r\n\r\n',
    'Content-Length: ',
    'Transfer-Encoding: chunked\r\n',
    'Retry-After: 1\r\nRetry-After: 2\r\n',
    'Upgrade: a\r\nConnection: upgrade\r\n',
    'Set-Cookie: a\r\n',
    '101 Switching',
    'ffffffff\r\n',
    '0\r\n\r\n',
    ': ',
    '\0',
  ],
  share: 0.02,
  async check(input) {
    response = input;
    opened ??= open();
    const outcome = await (await opened).post({ headers: {}, body: Buffer.from('{}') });
    if (!outcome.answered) {
      assert.notEqual(outcome.problem, '');
      return;
    }
    const { status, retryAfter, body } = outcome;
    assert.ok(Number.isInteger(status) && status >= 200 && status <= 999, `status ${status}`);
    assert.ok(retryAfter === null || typeof retryAfter === 'string');
    assert.ok(body === undefined || body.bytes.length <= KEPT_BYTES);
  },
  close() {
    server.close();
    opened?.then((target) => target.close());
  },
};
