import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BANK_ORIGIN, BASE_URL, type Gate, openGate, SHOP_ORIGIN } from './gate.suite.ts';

const CORS = /^access-control-/;
const corsOf = (headers: object) => Object.keys(headers).filter((name) => CORS.test(name));

describe('browsers on another origin', () => {
  let gate: Gate;
  before(async () => {
    gate = await openGate();
  });
  after(() => gate[Symbol.asyncDispose]());

  const preflight = (headers: Record<string, string>) =>
    gate.app.inject({ method: 'OPTIONS', url: '/assistant-link/exchange', headers });

  test('may ask before an exchange when some space names their origin', async () => {
    const answer = await preflight({
      origin: BANK_ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    });
    assert.equal(answer.statusCode, 204);
    assert.equal(answer.headers['access-control-allow-origin'], BANK_ORIGIN);
    assert.equal(answer.headers['access-control-allow-methods'], 'POST');
    assert.equal(answer.headers['access-control-allow-headers'], 'content-type');
    assert.equal(answer.headers['access-control-max-age'], '600');
    assert.equal(answer.headers['access-control-allow-credentials'], undefined);
    assert.equal(answer.headers.vary, 'Origin');
  });

  for (const origin of ['https://other.example', `${SHOP_ORIGIN}.evil.example`, 'null', '*', ''])
    test(`are told nothing from the origin ${JSON.stringify(origin)}`, async () => {
      const answer = await preflight({ origin });
      assert.equal(answer.statusCode, 204);
      assert.deepEqual(corsOf(answer.headers), []);
      assert.equal(answer.headers.vary, 'Origin');
    });

  test('may read an exchange when the space of the link names their origin', async () => {
    const { token, id } = await gate.newLink();
    const answer = await gate.exchange(token, { origin: SHOP_ORIGIN });
    assert.equal(answer.headers['access-control-allow-origin'], SHOP_ORIGIN);
    assert.deepEqual(corsOf(answer.headers), ['access-control-allow-origin']);
    assert.equal(answer.headers.vary, 'Origin');
    const headers = await gate.asUser('editor');
    await gate.app.inject({ method: 'DELETE', url: `/assistant-link/${id}`, headers });
    const ended = await gate.exchange(token, { origin: SHOP_ORIGIN });
    assert.equal(ended.statusCode, 410);
    assert.equal(ended.headers['access-control-allow-origin'], SHOP_ORIGIN);
  });

  test('may not read an exchange when only another space names their origin', async () => {
    const { token } = await gate.newLink();
    for (const origin of [BANK_ORIGIN, BASE_URL, 'null'])
      assert.deepEqual(corsOf((await gate.exchange(token, { origin })).headers), [], origin);
    const unknown = await gate.exchange('unknown', { origin: SHOP_ORIGIN });
    assert.deepEqual(corsOf(unknown.headers), []);
  });

  test('may read nothing else', async () => {
    const origin = SHOP_ORIGIN;
    for (const url of ['/assistant-link', '/.well-known/jwks.json', '/auth/session']) {
      const asked = await gate.app.inject({ method: 'OPTIONS', url, headers: { origin } });
      assert.equal(asked.statusCode, 405, url);
      const got = await gate.app.inject({ url, headers: { origin } });
      assert.deepEqual([...corsOf(asked.headers), ...corsOf(got.headers)], [], url);
    }
  });
});
