import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestServer } from '../../../tests/support/http/test-server.ts';
import { boundedFetch, MAX_RESPONSE_BYTES } from './bounded-fetch.ts';

const GET = { method: 'GET', headers: {} };

async function fetchFrom(listener: RequestListener, timeoutMs?: number): Promise<Response> {
  await using server = await startTestServer(listener);
  return await boundedFetch(`${server.origin}/`, GET, timeoutMs);
}

test('a response of the maximum size is read, and a larger response is rejected', async () => {
  const full = await fetchFrom((_, response) => response.end(Buffer.alloc(MAX_RESPONSE_BYTES)));
  assert.equal((await full.bytes()).length, MAX_RESPONSE_BYTES);
  await assert.rejects(
    fetchFrom((_, response) => response.end(Buffer.alloc(MAX_RESPONSE_BYTES + 1))),
    /more than 1048576 bytes/,
  );
});

test('the size is measured after decompression', async () => {
  const bomb = gzipSync(Buffer.alloc(MAX_RESPONSE_BYTES + 1));
  const headers = { 'content-encoding': 'gzip' };
  await assert.rejects(
    fetchFrom((_, response) => void response.writeHead(200, headers).end(bomb)),
    /more than 1048576 bytes/,
  );
});

test('the time limit includes the body', async () => {
  await assert.rejects(
    fetchFrom((_, response) => void response.writeHead(200).write('{'), 50),
    /did not respond in time/,
  );
  await assert.rejects(
    fetchFrom(() => {}, 50),
    /did not respond in time/,
  );
});

test('a redirect is rejected and not followed', async () => {
  let requests = 0;
  await assert.rejects(
    fetchFrom((_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/other' }).end();
    }),
    /sent a redirect/,
  );
  assert.equal(requests, 1);
});

test('an interrupted response is rejected', async () => {
  await assert.rejects(
    fetchFrom((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('{');
      setImmediate(() => response.destroy());
    }),
    { name: 'ProviderUnreachable' },
  );
});
