import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createMemoryRateCounts } from '../storage/single-process/index.ts';
import { createHttp } from './create-http.ts';

const GARBAGE = '\x01\x02\r\n\r\n';
const CHUNKED =
  'POST /body HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n';

async function serve() {
  const app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  app.get('/prompt', async () => 'prompt');
  app.get('/started', (_request, reply) => {
    reply.hijack();
    reply.raw.write('started');
  });
  app.get('/slow', async () => {
    await sleep(50);
    return 'slow';
  });
  app.post('/body', async () => 'taken');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    /** Sends each text after the response to the previous one contains `after`, and returns everything that the server sends. */
    exchange: async (...texts: readonly { readonly after?: string; readonly send: string }[]) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      const ended = once(socket, 'close');
      let received = '';
      socket.on('error', () => {});
      socket.on('data', (piece) => {
        received += piece;
      });
      for (const { after = '', send } of texts) {
        while (!received.includes(after)) await once(socket, 'data');
        socket.write(send);
      }
      await ended;
      return received;
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test('a broken request after a response gets an error', async () => {
  await using server = await serve();
  const received = await server.exchange(
    { send: get('/prompt') },
    { after: 'prompt', send: GARBAGE },
  );
  assert.deepEqual(statuses(received), [200, 400]);
});

test('a broken request during a response adds nothing to that response', async () => {
  await using server = await serve();
  const received = await server.exchange(
    { send: get('/started') },
    { after: 'started', send: GARBAGE },
  );
  assert.deepEqual(statuses(received), [200]);
});

test('a broken request that follows at once gets its error after the response to the request before', async () => {
  await using server = await serve();
  const received = await server.exchange({ send: get('/slow') + GARBAGE + GARBAGE });
  assert.deepEqual(statuses(received), [200, 400]);
});

test('a broken body gets one response', async () => {
  await using server = await serve();
  const json = CHUNKED.replace('text/plain', 'application/json');
  assert.deepEqual(statuses(await server.exchange({ send: `${json}zz\r\n` })), [400]);
  // The content type is rejected before the body arrives.
  const rejected = await server.exchange({ send: CHUNKED }, { after: '415', send: 'zz\r\n' });
  assert.deepEqual(statuses(rejected), [415]);
});
