import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { createMemoryRateCounts } from '../../../storage/single-process/index.ts';
import { createHttp } from '../../create-http.ts';
import { readBuiltSite } from './built-site.ts';
import { registerDocumentation } from './documentation.ts';

/** A small site. `secret.html` is in its folder but not in its manifest. */
const FILES: Readonly<Record<string, string>> = {
  'index.html': '<h1>Documentation</h1>',
  'operations.html': '<h1>Operations</h1>',
  'guides/embed.html': '<h1>Embed</h1>',
  'assets/main-Zk3v0q1b.js': 'export {};',
  'assets/icon.svg': '<svg/>',
};

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
after(() => rmSync(folder, { recursive: true }));
const dist = join(folder, 'dist');
for (const name of ['guides', 'assets']) mkdirSync(join(dist, name), { recursive: true });
for (const [path, text] of [...Object.entries(FILES), ['secret.html', 'secret'] as const]) {
  writeFileSync(join(dist, path), text);
  writeFileSync(join(dist, `${path}.gz`), gzipSync(text));
}
const tags = Object.keys(FILES).map((path, index) => [path, `tag-${index}`]);
writeFileSync(join(dist, 'manifest.json'), JSON.stringify(Object.fromEntries(tags)));
writeFileSync(join(folder, 'outside.html'), 'secret');

const app = await serve(dist);
after(() => app.close());

async function serve(root: string) {
  const served = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  registerDocumentation(served, () => readBuiltSite(root));
  return served;
}

test('the first page, other pages and files have their media types', async () => {
  for (const [url, path, type] of [
    ['/docs/', 'index.html', 'text/html; charset=utf-8'],
    ['/docs/operations', 'operations.html', 'text/html; charset=utf-8'],
    ['/docs/guides/embed', 'guides/embed.html', 'text/html; charset=utf-8'],
    ['/docs/assets/main-Zk3v0q1b.js', 'assets/main-Zk3v0q1b.js', 'text/javascript; charset=utf-8'],
    ['/docs/assets/icon.svg', 'assets/icon.svg', 'image/svg+xml'],
  ] as const) {
    const page = await app.inject(url);
    assert.equal(page.statusCode, 200, url);
    assert.equal(page.body, FILES[path], url);
    assert.equal(page.headers['content-type'], type, url);
    assert.equal((await app.inject({ method: 'HEAD', url })).statusCode, 200, url);
  }
});

test('pages may run only scripts of the service, load nothing from other hosts and cannot be embedded', async () => {
  const { headers } = await app.inject('/docs/');
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  assert.equal(headers['referrer-policy'], 'no-referrer');
});

test('a page is compressed if the client accepts compression', async () => {
  const packed = await app.inject({ url: '/docs/', headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.deepEqual(packed.rawPayload, gzipSync(FILES['index.html'] ?? ''));
  const plain = await app.inject({ url: '/docs/', headers: { 'accept-encoding': 'gzip;q=0' } });
  assert.equal(plain.headers['content-encoding'], undefined);
  for (const { headers } of [packed, plain]) assert.equal(headers['vary'], 'Accept-Encoding');
});

test('a client that has the current version gets a 304', async () => {
  const page = await app.inject('/docs/');
  assert.equal(page.headers['etag'], 'W/"tag-0"');
  assert.equal(page.headers['cache-control'], 'public, max-age=60');
  for (const tag of ['W/"tag-0"', '"tag-0"', '"other", W/"tag-0"', '*']) {
    const again = await app.inject({ url: '/docs/', headers: { 'if-none-match': tag } });
    assert.equal(again.statusCode, 304, tag);
    assert.equal(again.body, '');
    assert.equal(again.headers['etag'], 'W/"tag-0"');
  }
  const other = await app.inject({ url: '/docs/', headers: { 'if-none-match': 'W/"tag-1"' } });
  assert.equal(other.statusCode, 200);
});

test('only files with a hash in their name may be cached indefinitely', async () => {
  const cacheOf = async (url: string) => (await app.inject(url)).headers['cache-control'];
  const immutable = 'public, max-age=31536000, immutable';
  assert.equal(await cacheOf('/docs/assets/main-Zk3v0q1b.js'), immutable);
  assert.equal(await cacheOf('/docs/assets/icon.svg'), 'public, max-age=60');
});

test('addresses of earlier releases redirect to the current pages, relative to the request', async () => {
  for (const [url, location] of [
    ['/docs', 'docs/'],
    ['/docs/guides/operations', '../operations'],
    ['/docs/guides/configuration', '../configuration'],
    ['/docs/guides/data-retention', '../data-retention'],
    ['/docs/guides/glossary', '../glossary'],
  ] as const) {
    const { statusCode, headers } = await app.inject(url);
    assert.deepEqual([statusCode, headers['location']], [302, location], url);
  }
});

test('no path reaches a file that is not part of the site', async () => {
  for (const path of [
    'none',
    'secret',
    'secret.html',
    '__proto__',
    'constructor',
    'manifest.json',
    'index.html.gz',
    'assets/none.js',
    'assets/..%2Fsecret.html',
    'assets/..%2F..%2Foutside.html',
    'guides/..%2Fsecret',
    'guides/..%2f..%2foutside',
    '..%2Foutside',
    '%2e%2e%2foutside',
    '..%5Coutside',
    'guides/%2e%2e%2f%2e%2e%2foutside',
    'assets/%252e%252e%252fsecret.html',
    'assets/icon.svg%00.html',
    'guides/%2Fetc%2Fpasswd',
  ]) {
    const { statusCode, body } = await app.inject(`/docs/${path}`);
    assert.ok(statusCode === 404 || statusCode === 400, `${path}: ${statusCode}`);
    assert.match(body, /"code":"http\./, path);
    assert.doesNotMatch(body, /^secret|root:/, path);
  }
});

test('if the site is not built, the response says how to build it, and other routes work', async () => {
  const empty = await serve(join(folder, 'none'));
  const page = await empty.inject('/docs/');
  assert.equal(page.statusCode, 404);
  assert.deepEqual(page.json(), {
    message: 'The documentation is not built; run `npm run build`.',
    code: 'http.not-found',
  });
  await empty.close();
});
