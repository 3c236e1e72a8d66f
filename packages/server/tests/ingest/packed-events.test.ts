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
import { assertAnswerMatches } from '../support/answers.ts';
import { feedIds, makeEvent } from '../support/events.ts';
import { type RawAnswer, sendRaw } from '../support/raw-http.ts';
import { openShop } from '../support/shop.ts';

const { client, key, service, ...shop } = await openShop();
after(() => shop[Symbol.asyncDispose]());

const LIMIT = 8 * 1024 * 1024;

type Body = Uint8Array | readonly Uint8Array[];

async function send(
  body: Body,
  encoding: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const answer = await sendRaw({
    port: service.port,
    path: '/events',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
      ...headers,
    },
    body,
  });
  assertAnswerMatches({ method: 'POST', path: '/events', ...answer });
  return answer;
}

async function refused(sent: Promise<RawAnswer>, status: number, code: string): Promise<RawAnswer> {
  const answer = await sent;
  assert.equal(answer.status, status, answer.body);
  assert.equal((JSON.parse(answer.body) as { code: string }).code, code);
  return answer;
}

async function taken(sent: Promise<RawAnswer>): Promise<void> {
  const { status, body } = await sent;
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as { success: boolean }).success, true, body);
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
  test(`${coding} is unpacked, with a length and in chunks`, async () => {
    await taken(send(pack(batch(`${coding} whole`)), coding));
    await taken(send(chunksOf(pack(batch(`${coding} chunked`))), coding.toUpperCase()));
    const ids = await feedIds(client, key);
    assert.ok(ids.includes(`${coding} whole`) && ids.includes(`${coding} chunked`));
  });

  test(`${coding} may unpack to 8 MiB, and to no byte more`, async () => {
    const filled = (bytes: number) => batch('x', 'x'.repeat(bytes - batch('x', '').length));
    await taken(send(pack(filled(LIMIT)), coding));
    await refused(send(pack(filled(LIMIT + 1)), coding), 413, 'http.body-too-large');
  });

  test(`${coding} that breaks off, goes on or is none is 400`, async () => {
    const whole = pack(batch('broken'));
    const flipped = Buffer.from(whole);
    for (let at = 0; at < 6; at++) flipped[at] = (flipped[at] ?? 0) ^ 0xff;
    const broken = [whole.subarray(0, -3), Buffer.concat([whole, Buffer.from('junk!')]), flipped];
    for (const body of [...broken, batch('not packed')])
      await refused(send(body, coding), 400, 'http.malformed-encoding');
    const ids = await feedIds(client, key);
    assert.ok(!ids.includes('broken') && !ids.includes('not packed'));
  });
}

test('several codings are undone from the last to the first', async () => {
  const body = gzipSync(brotliCompressSync(zstdCompressSync(batch('three'))));
  await taken(send(body, 'zstd, br, gzip'));
  await taken(send(zstdCompressSync(gzipSync(batch('two'))), 'identity,gzip , zstd,'));
  await taken(send(batch('none'), 'identity'));
  await refused(send(body, 'gzip, br, zstd'), 400, 'http.malformed-encoding');
});

test('a coding that is not understood, or a tower of them, is 415 and hears which ones are', async () => {
  const body = gzipSync(batch('refused'));
  for (const encoding of [
    'compress',
    'gzip;q=1',
    '*',
    'gzip, lzma',
    'br, br, br, br',
    'toString',
  ]) {
    const answer = await refused(send(body, encoding), 415, 'http.encoding-unsupported');
    assert.equal(answer.headers['accept-encoding'], 'gzip, deflate, br, zstd');
  }
});

test('deflate is what RFC 9110 says, and not its bare stream', async () => {
  await refused(send(deflateRawSync(batch('raw')), 'deflate'), 400, 'http.malformed-encoding');
});

test('a few bytes that stand for gigabytes are 413, also between two codings', async () => {
  const gibibyte = zstdCompressSync(Buffer.alloc(1024 * 1024 * 1024));
  assert.ok(gibibyte.length < 128 * 1024);
  await refused(send(gibibyte, 'zstd'), 413, 'http.body-too-large');
  const empties = Buffer.alloc(20 * 1024 * 1024, gzipSync(''));
  await refused(send(gzipSync(empties), 'gzip, gzip'), 413, 'http.body-too-large');
  await refused(send(empties, 'gzip'), 413, 'http.body-too-large');
});

test('a body that never unpacks to anything ends at 8 MiB, too', async () => {
  const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 1, 0, ...Buffer.alloc(64 * 1024)]);
  const chunks = Array.from({ length: 200 }, () => skipped);
  await refused(send(chunks, 'zstd'), 413, 'http.body-too-large');
});

test('a zstd frame that asks for a window of more than 8 MiB is refused', async () => {
  const pack = (windowLog: number) => {
    const params = { [constants.ZSTD_c_windowLog]: windowLog };
    const packer = createZstdCompress({ params });
    packer.write(batch('window'));
    packer.flush(() => packer.end());
    return buffer(packer);
  };
  await taken(send(await pack(23), 'zstd'));
  await refused(send(await pack(24), 'zstd'), 400, 'http.malformed-encoding');
});

test('what is packed in several members or frames is one body', async () => {
  const [head, tail] = [batch('members').subarray(0, 20), batch('members').subarray(20)];
  for (const [coding, pack] of [['gzip', gzipSync] as const, ['zstd', zstdCompressSync] as const])
    await taken(send(Buffer.concat([pack(head), pack(tail)]), coding));
});

test('the events of every door may be packed', async () => {
  const one = Buffer.from(JSON.stringify(makeEvent({ id: 'packed one' })));
  await taken(send(gzipSync(one), 'gzip', { 'content-type': 'application/cloudevents+json' }));
  await taken(
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

test('no other route takes a packed body', async () => {
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
