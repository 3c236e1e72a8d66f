import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import pino from 'pino';
import { createMemoryRateCounts } from '../../../storage/single-process/index.ts';
import { createHttp } from '../../create-http.ts';
import { registerReference } from './reference.ts';

const app = await createHttp({
  log: pino({ level: 'silent' }),
  trustedProxies: [],
  rates: createMemoryRateCounts(Date.now),
});
registerReference(app);
after(() => app.close());
const page = await app.inject('/docs/api');
const script = `/docs/${/<script src="(api\/assets\/[^"]+)">/.exec(page.body)?.[1]}`;

test('the API reference is an HTML page that may be cached for a minute', async () => {
  assert.equal(page.statusCode, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(page.headers['cache-control'], 'public, max-age=60');
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
  assert.equal((await app.inject({ method: 'HEAD', url: '/docs/api' })).statusCode, 200);
});

test('the Content-Security-Policy of the page allows only the inline script of the page', () => {
  const inline = [...page.body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text);
  assert.equal(inline.length, 1);
  const hash = createHash('sha256')
    .update(inline[0] ?? '')
    .digest('base64');
  const policy = String(page.headers['content-security-policy']);
  assert.ok(policy.includes(`script-src 'self' 'sha256-${hash}';`), policy);
  assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|https?:/);
});

test('the script is compressed if the client accepts compression, and may be cached indefinitely', async () => {
  const packed = await app.inject({ url: script, headers: { 'accept-encoding': 'br, gzip' } });
  const plain = await app.inject({ url: script, headers: { 'accept-encoding': 'gzip;q=0' } });
  for (const { statusCode, headers } of [packed, plain]) {
    assert.equal(statusCode, 200);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['vary'], 'Accept-Encoding');
  }
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload));
  const hash = createHash('sha256').update(plain.rawPayload).digest('base64url');
  assert.ok(script.includes(hash.slice(0, 8)));
});

test('a script URL of an earlier release returns 404', async () => {
  const response = await app.inject('/docs/api/assets/scalar-AAAAAAAA.js');
  assert.equal(response.statusCode, 404);
  assert.equal(response.json().code, 'http.not-found');
});
