import assert from 'node:assert/strict';
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

test('a browser is redirected to the console, and the response is not cached, because it depends on the client', async () => {
  const answer = await app.inject({ url: '/', headers: { accept: BROWSER } });
  assert.equal(answer.statusCode, 302);
  assert.equal(answer.headers['location'], '/console');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['vary'], 'Accept');
});

test('other clients get a 404 with the error body', async () => {
  for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0, */*', 'text/*']) {
    const request = accept === undefined ? '/' : { url: '/', headers: { accept } };
    const answer = await app.inject(request);
    assert.equal(answer.statusCode, 404, String(accept));
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(answer.json(), {
      message: 'This route is only for browsers; see /docs/api for all routes.',
      code: 'http.not-found',
    });
  }
});

test('a request with another method gets a 405', async () => {
  const answer = await app.inject({ method: 'POST', url: '/', headers: { accept: BROWSER } });
  assert.equal(answer.statusCode, 405);
  assert.equal(answer.headers['allow'], 'GET, HEAD');
});

test('an Accept header is from a browser if it names HTML', () => {
  for (const accept of [BROWSER, 'TEXT/HTML', '*/*, text/html ;q=0.1', 'application/xhtml+xml'])
    assert.ok(isBrowser(accept), accept);
  for (const accept of ['', 'text/htmlx', 'text/html;q=0', 'text/html; q=0.00'])
    assert.ok(!isBrowser(accept), accept);
});
