import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  BANK_ORIGIN,
  BASE_URL,
  type LinksUnderTest,
  openLinks,
  SHOP_ORIGIN,
} from '../links.suite.ts';

const CORS = /^access-control-/;
const corsOf = (headers: object) => Object.keys(headers).filter((name) => CORS.test(name));

describe('exchanges from other origins', () => {
  let gate: LinksUnderTest;
  before(async () => {
    gate = await openLinks();
  });
  after(() => gate[Symbol.asyncDispose]());

  const preflight = (headers: Record<string, string>) =>
    gate.app.inject({ method: 'OPTIONS', url: '/assistant-link/exchange', headers });

  test('exchanges pass the preflight if any space allows the origin', async () => {
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

  for (const origin of ['https://other.example', `${SHOP_ORIGIN}.evil.example`, 'NULL', '*', ''])
    test(`exchanges get no CORS headers for the origin ${JSON.stringify(origin)}`, async () => {
      const answer = await preflight({ origin });
      assert.equal(answer.statusCode, 204);
      assert.deepEqual(corsOf(answer.headers), []);
      assert.equal(answer.headers.vary, 'Origin');
    });

  test("responses are readable if the link's space allows the origin", async () => {
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

  test('responses are not readable if only another space allows the origin', async () => {
    const { token } = await gate.newLink();
    for (const origin of [BANK_ORIGIN, BASE_URL])
      assert.deepEqual(corsOf((await gate.exchange(token, { origin })).headers), [], origin);
    const unknown = await gate.exchange('unknown', { origin: SHOP_ORIGIN });
    assert.deepEqual(corsOf(unknown.headers), []);
  });

  test('all responses, including errors, are readable from an opaque origin', async () => {
    const origin = 'null';
    const asked = await preflight({ origin });
    assert.equal(asked.headers['access-control-allow-origin'], 'null');
    assert.equal(asked.headers['access-control-allow-methods'], 'POST');
    const { token, id } = await gate.newLink({ loginUrl: '/in' });
    const statuses: number[] = [];
    const exchange = async (linkToken: string) => {
      const answer = await gate.exchange(linkToken, { origin });
      assert.equal(answer.headers['access-control-allow-origin'], 'null');
      assert.equal(answer.headers['access-control-expose-headers'], 'retry-after, x-request-id');
      assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      assert.equal(answer.headers.vary, 'Origin');
      statuses.push(answer.statusCode);
      return answer;
    };
    await exchange(token);
    await exchange('unknown');
    const headers = await gate.asUser('editor');
    await gate.app.inject({ method: 'DELETE', url: `/assistant-link/${id}`, headers });
    assert.equal((await exchange(token)).json().loginUrl, '/in');
    assert.deepEqual(statuses, [200, 401, 410]);
  });

  test('the rate limit is revealed only to an opaque origin', async () => {
    await using busy = await openLinks({ exchangesPerMinute: 1 });
    await busy.exchange('unknown');
    const opaque = await busy.exchange('unknown', { origin: 'null' });
    assert.equal(opaque.statusCode, 429);
    assert.equal(opaque.headers['access-control-allow-origin'], 'null');
    const named = await busy.exchange('unknown', { origin: SHOP_ORIGIN });
    assert.deepEqual([named.statusCode, corsOf(named.headers)], [429, []]);
  });

  test('origins that may exchange links get no CORS headers on other routes', async () => {
    const urls = ['/assistant-link', '/.well-known/jwks.json', '/auth/session'];
    const asking = urls.flatMap((url) => [SHOP_ORIGIN, 'null'].map((origin) => ({ url, origin })));
    for (const { url, origin } of asking) {
      const asked = await gate.app.inject({ method: 'OPTIONS', url, headers: { origin } });
      assert.equal(asked.statusCode, 405, url);
      const got = await gate.app.inject({ url, headers: { origin } });
      assert.deepEqual([...corsOf(asked.headers), ...corsOf(got.headers)], [], url);
    }
  });
});
