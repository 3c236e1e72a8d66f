import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { createMemoryRateCounts } from '../../../storage/single-process/index.ts';
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

test('a browser is redirected to the console, and the response is not cached, because it depends on the client', async () => {
  const response = await app.inject({ url: '/', headers: { accept: BROWSER } });
  assert.equal(response.statusCode, 302);
  assert.equal(response.headers['location'], '/console');
  assert.equal(response.headers['cache-control'], 'no-store');
  assert.equal(response.headers['vary'], 'Accept');
});

test('other clients get a 404 with the error body', async () => {
  for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0, */*', 'text/*']) {
    const request = accept === undefined ? '/' : { url: '/', headers: { accept } };
    const response = await app.inject(request);
    assert.equal(response.statusCode, 404, String(accept));
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(response.json(), {
      message: 'This route is only for browsers; see /docs/api for all routes.',
      code: 'http.not-found',
    });
  }
});

test('a request with another method gets a 405', async () => {
  const response = await app.inject({ method: 'POST', url: '/', headers: { accept: BROWSER } });
  assert.equal(response.statusCode, 405);
  assert.equal(response.headers['allow'], 'GET, HEAD');
});

test('an Accept header is from a browser if it names HTML', () => {
  for (const accept of [BROWSER, 'TEXT/HTML', '*/*, text/html ;q=0.1', 'application/xhtml+xml'])
    assert.ok(isBrowser(accept), accept);
  for (const accept of ['', 'text/htmlx', 'text/html;q=0', 'text/html; q=0.00'])
    assert.ok(!isBrowser(accept), accept);
});
