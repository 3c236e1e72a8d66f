import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import { createMemoryRateCounts } from '../../storage/single-process/index.ts';
import { createHttp } from '../create-http.ts';
import { limitBodiesTogether } from './body-admission.ts';

const BODY = JSON.stringify('x'.repeat(60));

/** Opens an application that admits one body at a time. The test decides when its handler finishes. */
async function open({ bySpace = false } = {}) {
  const app = await createHttp({
    log: pino({ enabled: false }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  limitBodiesTogether(app, {
    limit: 100,
    largest: 1000,
    ...(bySpace ? { spaceOf: ({ headers }) => String(headers['x-space']) } : {}),
  });
  const handlers: { gone: Promise<unknown>; end: () => void }[] = [];
  let begun = Promise.withResolvers<void>();
  app.post('/slow', async (request) => {
    const ended = Promise.withResolvers<void>();
    handlers.push({ gone: once(request.raw.socket, 'close'), end: ended.resolve });
    begun.resolve();
    await ended.promise;
    return '{}';
  });
  app.post('/', async () => '{}');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    port,
    async begun() {
      await begun.promise;
      begun = Promise.withResolvers();
      return handlers.at(-1) ?? assert.fail();
    },
    async status(space = 'a', body = BODY): Promise<number> {
      const headers = { 'content-type': 'application/json', 'x-space': space };
      const url = `http://127.0.0.1:${port}/`;
      return (await fetch(url, { method: 'POST', body, headers })).status;
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

function send(port: number, body: string) {
  const socket = connect(port, '127.0.0.1');
  const head = [
    'POST /slow HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'X-Space: a',
    `Content-Length: ${BODY.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

test('a request body counts towards the limit until its handler finishes, even if the client disconnects earlier', async () => {
  await using service = await open();
  for (let round = 0; round < 3; round += 1) {
    const socket = send(service.port, BODY);
    const handler = await service.begun();
    socket.destroy();
    await handler.gone;
    assert.equal(await service.status(), 503, 'the body is still in memory');
    handler.end();
    assert.equal(await service.status(), 200);
  }
});

test('a request body that the client aborts no longer counts towards the limit', async () => {
  await using service = await open();
  const socket = send(service.port, BODY.slice(0, 10));
  while ((await service.status()) !== 503);
  socket.destroy();
  while ((await service.status()) !== 200);
});

test('a space that withholds its bodies leaves memory for the bodies of other spaces', async () => {
  await using service = await open({ bySpace: true });
  const body = JSON.stringify('x'.repeat(28));
  // Declares 62 of 100 bytes.
  const socket = send(service.port, '"');
  while ((await service.status('a', body)) !== 503);
  assert.equal(await service.status('b', body), 200);
  socket.destroy();
  while ((await service.status('a', body)) !== 200);
});
