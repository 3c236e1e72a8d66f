import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { feedIds, makeEvent } from '../support/events/events.ts';
import { assertAccepted, assertRejected, postRawEvents } from '../support/events/raw-events.ts';
import { type RawAnswer, sendRaw } from '../support/http/raw-http.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, key, service, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const LIMIT = 8 * 1024 * 1024;

type Body = Uint8Array | readonly Uint8Array[];

function send(
  body: Body,
  encoding: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const all = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-encoding': encoding,
    ...headers,
  };
  return postRawEvents({ port: service.port, headers: all, body });
}

const batch = (id: string, data: unknown = null) =>
  Buffer.from(JSON.stringify({ events: [makeEvent({ id, data })] }));

const CODINGS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

function chunksOf(body: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(body.length / 7) }, (_, at) =>
    body.subarray(at * 7, at * 7 + 7),
  );
}

for (const [coding, pack] of Object.entries(CODINGS)) {
  test(`decompresses ${coding} bodies, sent with Content-Length or chunked`, async () => {
    await assertAccepted(send(pack(batch(`${coding} whole`)), coding));
    await assertAccepted(send(chunksOf(pack(batch(`${coding} chunked`))), coding.toUpperCase()));
    const ids = await feedIds(client, key);
    assert.ok(ids.includes(`${coding} whole`) && ids.includes(`${coding} chunked`));
  });

  test(`accepts a ${coding} body that decompresses to 8 MiB and rejects a body that is one byte longer`, async () => {
    const filled = (bytes: number) => batch('x', 'x'.repeat(bytes - batch('x', '').length));
    await assertAccepted(send(pack(filled(LIMIT)), coding));
    await assertRejected(send(pack(filled(LIMIT + 1)), coding), 413, 'http.body-too-large');
  });

  test(`rejects truncated, extended and invalid ${coding} bodies with 400`, async () => {
    const whole = pack(batch('broken'));
    const flipped = Buffer.from(whole);
    for (let at = 0; at < 6; at++) flipped[at] = (flipped[at] ?? 0) ^ 0xff;
    const broken = [whole.subarray(0, -3), Buffer.concat([whole, Buffer.from('junk!')]), flipped];
    for (const body of [...broken, batch('not packed')])
      await assertRejected(send(body, coding), 400, 'http.malformed-encoding');
    const ids = await feedIds(client, key);
    assert.ok(!ids.includes('broken') && !ids.includes('not packed'));
  });
}

test('decodes multiple content codings from last to first', async () => {
  const body = gzipSync(brotliCompressSync(zstdCompressSync(batch('three'))));
  await assertAccepted(send(body, 'zstd, br, gzip'));
  await assertAccepted(send(zstdCompressSync(gzipSync(batch('two'))), 'identity,gzip , zstd,'));
  await assertAccepted(send(batch('none'), 'identity'));
  await assertRejected(send(body, 'gzip, br, zstd'), 400, 'http.malformed-encoding');
});

test('rejects unsupported content codings and more than three codings with 415', async () => {
  const body = gzipSync(batch('refused'));
  for (const encoding of [
    'compress',
    'gzip;q=1',
    '*',
    'gzip, lzma',
    'br, br, br, br',
    'toString',
  ]) {
    const answer = await assertRejected(send(body, encoding), 415, 'http.encoding-unsupported');
    assert.equal(answer.headers['accept-encoding'], 'gzip, deflate, br, zstd');
  }
});

test('the deflate coding requires the zlib format, as RFC 9110 specifies', async () => {
  await assertRejected(
    send(deflateRawSync(batch('raw')), 'deflate'),
    400,
    'http.malformed-encoding',
  );
});

test('rejects decompression bombs with 413, even if only an intermediate coding is too large', async () => {
  const gibibyte = zstdCompressSync(Buffer.alloc(1024 * 1024 * 1024));
  assert.ok(gibibyte.length < 128 * 1024);
  await assertRejected(send(gibibyte, 'zstd'), 413, 'http.body-too-large');
  const empties = Buffer.alloc(20 * 1024 * 1024, gzipSync(''));
  await assertRejected(send(gzipSync(empties), 'gzip, gzip'), 413, 'http.body-too-large');
  await assertRejected(send(empties, 'gzip'), 413, 'http.body-too-large');
});

test('rejects more than 8 MiB of compressed frames, even if they decompress to nothing', async () => {
  const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 1, 0, ...Buffer.alloc(64 * 1024)]);
  const chunks = Array.from({ length: 200 }, () => skipped);
  await assertRejected(send(chunks, 'zstd'), 413, 'http.body-too-large');
});

test('rejects a zstd frame with a window larger than 8 MiB', async () => {
  const pack = (windowLog: number) => {
    const params = { [constants.ZSTD_c_windowLog]: windowLog };
    const packer = createZstdCompress({ params });
    packer.write(batch('window'));
    packer.flush(() => packer.end());
    return buffer(packer);
  };
  await assertAccepted(send(await pack(23), 'zstd'));
  await assertRejected(send(await pack(24), 'zstd'), 400, 'http.malformed-encoding');
});

test('joins multiple gzip members or zstd frames into one body', async () => {
  const [head, tail] = [batch('members').subarray(0, 20), batch('members').subarray(20)];
  for (const [coding, pack] of [['gzip', gzipSync] as const, ['zstd', zstdCompressSync] as const])
    await assertAccepted(send(Buffer.concat([pack(head), pack(tail)]), coding));
});

test('every format accepts compressed bodies', async () => {
  const one = Buffer.from(JSON.stringify(makeEvent({ id: 'packed one' })));
  await assertAccepted(
    send(gzipSync(one), 'gzip', { 'content-type': 'application/cloudevents+json' }),
  );
  await assertAccepted(
    send(brotliCompressSync('some text'), 'br', {
      'content-type': 'text/plain',
      'ce-specversion': '1.0',
      'ce-id': 'packed binary',
      'ce-source': 'urn:a',
      'ce-type': 't',
    }),
  );
  const { text } = await client('/events?limit=200&source=urn:a', { as: key });
  assert.match(text, /"data":"some text"/);
});

test('other routes reject compressed bodies', async () => {
  const { status, body, headers } = await sendRaw({
    port: service.port,
    path: '/spaces',
    headers: {
      authorization: `Bearer ${shop.session}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: gzipSync('{"name":"x"}'),
  });
  assert.equal(status, 415, body);
  assert.equal(headers['accept-encoding'], 'identity');
});
