import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pino from 'pino';
import { createMemoryRateCounts } from '../../../storage/memory/index.ts';
import { createHttp } from '../../create-http.ts';
import { isBrowser, registerHome } from './home.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const app = await createHttp({
  log: pino({ level: 'silent' }),
  trustedProxies: [],
  rates: createMemoryRateCounts(Date.now),
});
registerHome(app);
after(() => app.close());
const page = await app.inject({ url: '/', headers: { accept: BROWSER } });

test('a browser gets an HTML page, which is not cached, because the response depends on the client', () => {
  assert.equal(page.statusCode, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(page.headers['cache-control'], 'no-store');
  assert.equal(page.headers['vary'], 'Accept');
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
});

test('other clients get a 404 with the error body', async () => {
  for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0, */*', 'text/*']) {
    const request = accept === undefined ? '/' : { url: '/', headers: { accept } };
    const answer = await app.inject(request);
    assert.equal(answer.statusCode, 404, String(accept));
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(answer.json(), {
      message: 'This route is only for browsers; see /docs/ for all routes.',
      code: 'http.not-found',
    });
  }
});

test('a request with another method gets a 405', async () => {
  const answer = await app.inject({ method: 'POST', url: '/', headers: { accept: BROWSER } });
  assert.equal(answer.statusCode, 405);
  assert.equal(answer.headers['allow'], 'GET, HEAD');
});

test('the Content-Security-Policy allows only the inline style of the page', () => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page.body) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  assert.equal(
    page.headers['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  assert.doesNotMatch(page.body, /<script|style=|https?:/);
});

test('the page links to the documentation, to the API reference and to guides that exist', () => {
  const [, ...hrefs] = [...page.body.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
  assert.deepEqual(hrefs.slice(0, 4), ['docs/', 'docs/api', 'openapi.json', 'readyz']);
  const guides = hrefs.slice(4);
  assert.ok(guides.includes('docs/guides/get-started'));
  const root = join(import.meta.dirname, '../../../../../..');
  for (const href of guides) assert.ok(existsSync(join(root, `${href}.md`)), href);
});

test('an Accept header is from a browser if it names HTML', () => {
  for (const accept of [BROWSER, 'TEXT/HTML', '*/*, text/html ;q=0.1', 'application/xhtml+xml'])
    assert.ok(isBrowser(accept), accept);
  for (const accept of ['', 'text/htmlx', 'text/html;q=0', 'text/html; q=0.00'])
    assert.ok(!isBrowser(accept), accept);
});
