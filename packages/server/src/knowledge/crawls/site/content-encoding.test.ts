import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { MAX_PAGE_BYTES } from '@gatehouse/contract';
import { startTestServer } from '../../../../tests/support/http/test-server.ts';
import { FairLookups } from '../../../lib/network/index.ts';
import { createSiteClients } from './site-client.ts';
import { readRobots, readSitemaps, SiteFailure } from './site-files.ts';
import { visit } from './visit.ts';

interface Answer {
  readonly body: Uint8Array | string;
  readonly encoding?: string;
  readonly status?: number;
}

const answers = new Map<string, Answer>();
const server = await startTestServer((request, response) => {
  const {
    body,
    encoding = 'identity',
    status = 200,
  } = answers.get(request.url ?? '') ?? {
    body: '',
    status: 404,
  };
  response.writeHead(status, { 'content-type': 'text/html', 'content-encoding': encoding });
  response.end(body);
});
const site = server.origin;
const clients = createSiteClients({
  allowed: ['127.0.0.1'],
  userAgent: 'test',
  lookups: new FairLookups(),
});
after(async () => {
  await clients[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const client = clients.of('space');
const { signal } = new AbortController();
const PAGE = '<h1>Opening hours</h1><a href="/next">next</a>';

function visited(answer: Answer) {
  answers.set('/page', answer);
  return visit(client, { url: `${site}/page`, known: null, now: 0, signal });
}

async function reasonOf(answer: Answer): Promise<string> {
  const result = await visited(answer);
  assert.ok(result.kind === 'failed', result.kind);
  return result.reason;
}

for (const [encoding, body] of [
  ['gzip', gzipSync(PAGE)],
  ['X-GZIP', gzipSync(PAGE)],
  ['deflate', deflateSync(PAGE)],
  ['deflate', deflateRawSync(PAGE)],
  ['br', brotliCompressSync(PAGE)],
  ['zstd', zstdCompressSync(PAGE)],
  ['identity, br, gzip', gzipSync(brotliCompressSync(PAGE))],
] as const)
  test(`a page with the content encoding ${encoding} is decoded, from ${body.length} bytes`, async () => {
    const result = await visited({ encoding, body });
    assert.ok(result.kind === 'document', result.kind);
    assert.equal(result.data['html'], PAGE);
    assert.deepEqual(result.links, [`${site}/next`]);
    assert.equal(result.received, body.length);
  });

test('a page with an unknown content encoding, or too many, fails', async () => {
  const reason = 'the page has an unsupported content encoding';
  assert.equal(await reasonOf({ encoding: 'compress', body: PAGE }), reason);
  assert.equal(await reasonOf({ encoding: 'gzip, x-unknown', body: gzipSync(PAGE) }), reason);
  assert.equal(await reasonOf({ encoding: 'gzip, gzip, gzip, gzip', body: PAGE }), reason);
});

test('a page that does not match its content encoding fails', async () => {
  const reason = 'the page does not match its content encoding';
  assert.equal(await reasonOf({ encoding: 'gzip', body: PAGE }), reason);
  assert.equal(await reasonOf({ encoding: 'br', body: gzipSync(PAGE) }), reason);
  assert.equal(await reasonOf({ encoding: 'deflate', body: PAGE }), reason);
  assert.equal(await reasonOf({ encoding: 'deflate', body: 'x' }), reason);
  assert.equal(await reasonOf({ encoding: 'gzip', body: gzipSync(PAGE).subarray(0, -9) }), reason);
});

test('a page that exceeds the limit after decoding fails, whatever its encoding', async () => {
  const reason = `the page has more than ${MAX_PAGE_BYTES} bytes`;
  const large = Buffer.alloc(MAX_PAGE_BYTES + 1, 'a');
  for (const [encoding, body] of [
    ['gzip', gzipSync(large)],
    ['deflate', deflateSync(large)],
    ['deflate', deflateRawSync(large)],
    ['br', brotliCompressSync(large)],
    ['zstd', zstdCompressSync(large)],
    ['gzip, gzip', gzipSync(gzipSync(large))],
  ] as const)
    assert.equal(await reasonOf({ encoding, body }), reason, encoding);
  const largest = await visited({ encoding: 'gzip', body: gzipSync(large.subarray(1)) });
  assert.equal(largest.kind, 'document');
});

test('the rules of a compressed robots.txt apply', async () => {
  const rules = 'User-agent: *\nDisallow: /private/';
  answers.set('/robots.txt', { encoding: 'gzip', body: gzipSync(rules) });
  const robots = await readRobots(client, `${site}/`, signal);
  assert.deepEqual(
    ['/private/a', '/a'].map((path) => robots.mayRead(site + path)),
    [false, true],
  );
});

test('a robots.txt that cannot be decoded is a failure, unless it does not exist', async () => {
  const expected = (message: string) => (error: unknown) =>
    error instanceof SiteFailure && !error.isTemporary && error.message === message;
  answers.set('/robots.txt', { encoding: 'compress', body: 'x' });
  await assert.rejects(
    readRobots(client, `${site}/`, signal),
    expected('robots.txt: the file has an unsupported content encoding'),
  );
  const bomb = gzipSync(Buffer.alloc(512 * 1024 + 1));
  answers.set('/robots.txt', { encoding: 'gzip', body: bomb });
  await assert.rejects(
    readRobots(client, `${site}/`, signal),
    expected('robots.txt: the file has more than 524288 bytes'),
  );
  answers.set('/robots.txt', { encoding: 'compress', body: 'x', status: 404 });
  assert.ok((await readRobots(client, `${site}/`, signal)).mayRead(`${site}/private/a`));
});

test('an empty robots.txt with a content encoding permits everything', async () => {
  answers.set('/robots.txt', { encoding: 'gzip', body: '' });
  assert.ok((await readRobots(client, `${site}/`, signal)).mayRead(`${site}/private/a`));
});

test('a sitemap is read with a content encoding, as a gzip file, and as both', async () => {
  answers.delete('/robots.txt');
  const robots = await readRobots(client, `${site}/`, signal);
  const url = `${site}/sitemap.xml`;
  const read = async (answer: Answer) => {
    answers.set('/sitemap.xml', answer);
    const wait = async () => {};
    const request = { url, robots, signal, wait, isWanted: () => true, maxPages: 10 };
    return [...(await readSitemaps(client, request)).pages];
  };
  const xml = `<urlset><url><loc>${site}/one</loc></url></urlset>`;
  for (const answer of [
    { body: xml, encoding: 'identity' },
    { body: brotliCompressSync(xml), encoding: 'br' },
    { body: gzipSync(xml), encoding: 'identity' },
    { body: gzipSync(gzipSync(xml)), encoding: 'gzip' },
  ])
    assert.deepEqual(await read(answer), [`${site}/one`]);
  await assert.rejects(read({ body: xml, encoding: 'br' }), {
    name: 'SiteFailure',
    message: 'the sitemap does not match its content encoding',
  });
});
