import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type LinksUnderTest, SHOP_ORIGIN } from '../links.suite.ts';
import { openWidget } from './widget.suite.ts';

describe('the widget page', () => {
  let gate: LinksUnderTest;
  before(async () => {
    gate = await openWidget();
  });
  after(() => gate[Symbol.asyncDispose]());

  const get = (token: string) => gate.app.inject({ url: `/widget/${encodeURIComponent(token)}` });

  test('is served for any token and forbids caching, indexing and referrers', async () => {
    const { token } = await gate.newLink();
    for (const text of [token, 'unknown', '💥', '"><script>', '../..', 'x'.repeat(200)]) {
      const answer = await get(text);
      assert.equal(answer.statusCode, 200, text);
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(answer.headers['referrer-policy'], 'no-referrer');
      assert.equal(answer.headers['x-robots-tag'], 'noindex');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    }
  });

  test('exposes the token neither in the response nor in the log', async () => {
    const { token } = await gate.newLink();
    const answer = await get(token);
    assert.equal(answer.body.includes(token), false);
    assert.equal(JSON.stringify(answer.headers).includes(token), false);
    assert.equal(gate.logLines.join('').includes(token), false);
  });

  test('has a new nonce in each response', async () => {
    const nonces = [];
    for (let time = 0; time < 2; time += 1) {
      const { headers, body } = await get('x');
      const policy = String(headers['content-security-policy']);
      const nonce = /script-src 'nonce-([A-Za-z0-9+/]{22}==)'/.exec(policy)?.[1] ?? 'none';
      const used = [...body.matchAll(/nonce="([^"]*)"/g)].map(([, text]) => text);
      assert.ok(used.length >= 2);
      assert.deepEqual(new Set(used), new Set([nonce]));
      nonces.push(nonce);
    }
    assert.notEqual(nonces[0], nonces[1]);
  });

  test("may be framed by the origins of the link's space, or only by the service if the token is unknown", async () => {
    const { token, id } = await gate.newLink();
    const ancestors = async (text: string) =>
      /frame-ancestors (.*)$/.exec(
        String((await get(text)).headers['content-security-policy']),
      )?.[1];
    assert.equal(await ancestors(token), `'self' ${SHOP_ORIGIN}`);
    const headers = await gate.asUser('editor');
    await gate.app.inject({ method: 'DELETE', url: `/assistant-link/${id}`, headers });
    assert.equal(await ancestors(token), `'self' ${SHOP_ORIGIN}`);
    assert.equal(await ancestors('unknown'), "'self'");
  });
});
