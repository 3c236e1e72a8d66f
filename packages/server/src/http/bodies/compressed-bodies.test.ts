import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { ApiError } from '@gatehouse/contract';
import fastify from 'fastify';
import { until } from '../../../tests/support/until.ts';
import { decompressBodies } from './compressed-bodies.ts';

const MIB = 1024 * 1024;
/** Four bodies of this size fill the limit for all bodies. */
const LARGE = Buffer.alloc(MIB);

const app = fastify();
after(() => app.close());
const handling = new Set<() => void>();
decompressBodies(app, { each: 2 * MIB, together: 4 * MIB });
app.addContentTypeParser(
  'application/octet-stream',
  { parseAs: 'buffer' },
  (_request, body, done) => done(null, body),
);
app.setErrorHandler((error, _request, reply) =>
  reply.code(error instanceof ApiError ? error.status : 500).send(),
);
app.post('/', async ({ headers, body }) => {
  if (headers['x-wait'] === '1') await new Promise<void>((end) => handling.add(end));
  return (body as Buffer).length;
});
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;

function begin(headers: Readonly<Record<string, string>> = {}) {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/octet-stream', ...headers },
  });
  let status: number | null = null;
  outgoing.on('response', (incoming: IncomingMessage) => {
    status = incoming.statusCode ?? null;
    incoming.resume();
  });
  outgoing.on('error', () => {});
  after(() => outgoing.destroy());
  return { outgoing, status: () => status };
}

async function send(body: Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  const { outgoing, status } = begin(headers);
  outgoing.end(gzipSync(body));
  await once(outgoing, 'response');
  return status();
}

/** Sends all of a body except its end. */
async function withhold() {
  const begun = begin();
  const gzip = createGzip();
  gzip.pipe(begun.outgoing, { end: false });
  gzip.write(LARGE);
  await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
  return begun;
}

test('clients that withhold the end of compressed bodies do not block other clients', async () => {
  const withheld: ReturnType<typeof begin>[] = [];
  for (let count = 0; count < 4; count += 1) withheld.push(await withhold());
  await until('the oldest body is rejected', async () => {
    assert.equal(await send(Buffer.alloc(100_000)), 200);
    return withheld[0]?.status() === 503;
  });
  for (let count = 0; count < 10; count += 1) {
    withheld.push(await withhold());
    assert.equal(await send(Buffer.alloc(100_000)), 200);
  }
  const open = () => withheld.filter(({ status }) => status() === null);
  await until('at most four bodies are held', () => open().length <= 4);
  for (const { outgoing } of open()) outgoing.destroy();
});

test('a body is rejected if bodies that the service handles fill the memory, and these bodies are handled', async () => {
  const handled = Array.from({ length: 4 }, () => send(LARGE, { 'x-wait': '1' }));
  await until('four bodies are handled', () => handling.size === 4);
  assert.equal(await send(LARGE), 503);
  for (const end of handling) end();
  assert.deepEqual(await Promise.all(handled), [200, 200, 200, 200]);
  await until('a body is accepted', async () => (await send(LARGE)) === 200);
});
