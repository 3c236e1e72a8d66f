import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { exchangeLink } from '@gatehouse/contract';
import { Compile } from 'typebox/compile';
import { type LinksUnderTest, openLinks, SHOP_SECOND_BOT } from '../links.suite.ts';

describe('exchanging a link', () => {
  let gate: LinksUnderTest;
  before(async () => {
    gate = await openLinks();
  });
  after(() => gate[Symbol.asyncDispose]());

  test('returns a session of 15 minutes, the payload and the presentation of the assistant', async () => {
    const { token } = await gate.newLink({ sub: 'customer-42' });
    const answer = await gate.exchange(token);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const body = answer.json();
    assert.ok(Compile(exchangeLink.responses[200].schema).Check(body));
    assert.equal(body.tokenType, 'Bearer');
    assert.equal(body.expiresIn, 900);
    assert.equal(body.jwtPayload.sub, 'customer-42');
    assert.deepEqual(body.assistant, {
      name: 'Shop assistant',
      title: null,
      greeting: 'Hello!',
      suggestions: ['Where is my order?'],
      theme: {},
      locale: null,
    });
    assert.deepEqual(body.features, { chatHistory: true, attachments: true, handoff: false });
    assert.equal(body.conversationId, null);
  });

  test('omits the members of the payload that a browser does not need', async () => {
    const { id, token } = await gate.newLink({
      sub: 'customer-42',
      permissionFilter: { department: { eq: 'sales' } },
      filter: { topic: 'returns' },
      context: { page: 'checkout' },
      systemPromptInsertion: 'Mention the sale.',
      features: { beta: true },
    });
    const answer = await gate.exchange(token);
    const { v, sub, spaceId, exp, features, ...others } = answer.json().jwtPayload;
    assert.deepEqual([v, sub, features], [1, 'customer-42', { beta: true }]);
    assert.ok(spaceId && exp);
    assert.deepEqual(others, {});
    for (const hidden of ['department', 'returns', 'checkout', 'Mention'])
      assert.ok(!answer.body.includes(hidden), hidden);
    const headers = await gate.asUser('editor');
    const shown = await gate.app.inject({ url: `/assistant-link/${id}`, headers });
    assert.deepEqual(shown.json().jwtPayload.context, { page: 'checkout' });
  });

  test('lets the link override the presentation and ignores members of the wrong type', async () => {
    const widget = { title: 'Help', greeting: 7, suggestions: ['a', 1], theme: [], locale: 'de' };
    const { token } = await gate.newLink({ widget, features: { chatHistory: false, x: 1 } });
    const body = (await gate.exchange(token)).json();
    assert.deepEqual(body.assistant, {
      name: 'Shop assistant',
      title: 'Help',
      greeting: 'Hello!',
      suggestions: ['Where is my order?'],
      theme: {},
      locale: 'de',
    });
    assert.deepEqual(body.features, { chatHistory: false, attachments: true, handoff: false });
    assert.deepEqual(body.jwtPayload.widget, widget);
  });

  test('presents the bot that the link names', async () => {
    const { token } = await gate.newLink({ botId: SHOP_SECOND_BOT });
    const { assistant } = (await gate.exchange(token)).json();
    assert.equal(assistant.name, 'Returns');
    assert.equal(assistant.greeting, null);
  });

  test('ends the session no later than its link', async () => {
    const exp = gate.now / 1000 + 100.75;
    const { token } = await gate.newLink({ exp });
    const body = (await gate.exchange(token)).json();
    assert.equal(body.expiresIn, 100);
    const claims = JSON.parse(Buffer.from(body.accessToken.split('.')[1], 'base64url').toString());
    assert.ok(claims.exp <= exp);
  });

  test('returns 401 for any unknown token', async () => {
    for (const token of ['A'.repeat(43), 'x', '../..', '💥', ' ', 'a'.repeat(200)]) {
      const answer = await gate.exchange(token);
      assert.equal(answer.statusCode, 401, token);
      assert.equal(answer.json().code, 'links.unknown');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  });

  test('returns 400 for a body without a valid token', async () => {
    for (const payload of ['{}', '{"linkToken":""}', '{"linkToken":7}', '{"linkToken":null}', '[]'])
      assert.equal((await exchangeBody(gate, payload)).statusCode, 400, payload);
    const long = JSON.stringify({ linkToken: 'a'.repeat(201) });
    assert.equal((await exchangeBody(gate, long)).statusCode, 400);
    const extra = await exchangeBody(gate, '{"linkToken":"x","spaceid":"y"}');
    assert.deepEqual(extra.json().issues, [{ message: 'spaceid: unknown member' }]);
  });

  test('returns 410 with the loginUrl after the link has expired', async (t) => {
    const start = gate.now;
    t.after(() => {
      gate.now = start;
    });
    const { token } = await gate.newLink({ ttlSeconds: 60, loginUrl: '/login' });
    const plain = await gate.newLink({ ttlSeconds: 60 });
    gate.now = start + 59_999;
    assert.equal((await gate.exchange(token)).statusCode, 200);
    gate.now = start + 60_000;
    const answer = await gate.exchange(token);
    assert.equal(answer.statusCode, 410);
    assert.equal(answer.json().code, 'links.expired');
    assert.equal(answer.json().loginUrl, '/login');
    assert.equal('loginUrl' in (await gate.exchange(plain.token)).json(), false);
  });

  test('returns 410 with the loginUrl after the link is revoked', async () => {
    const { token, id } = await gate.newLink({ loginUrl: 'https://shop.example/login' });
    await gate.app.inject({
      method: 'DELETE',
      url: `/assistant-link/${id}`,
      headers: await gate.asUser('editor'),
    });
    const answer = await gate.exchange(token);
    assert.equal(answer.statusCode, 410);
    assert.equal(answer.json().code, 'links.revoked');
    assert.equal(answer.json().loginUrl, 'https://shop.example/login');
  });

  test('increments the exchange count, which is visible on the link immediately', async () => {
    const { token, id } = await gate.newLink();
    for (let time = 0; time < 3; time += 1) await gate.exchange(token);
    await gate.exchange('unknown');
    const headers = await gate.asUser('editor');
    const shown = await gate.app.inject({ url: `/assistant-link/${id}`, headers });
    assert.equal(shown.json().exchanges, 3);
    assert.equal(shown.json().lastExchangedAt, new Date(gate.now).toISOString());
    assert.deepEqual(gate.errors, []);
  });

  test('does not log the token and stores only its hash', async () => {
    const { token } = await gate.newLink();
    await gate.exchange(token);
    assert.equal(gate.logLines.join('').includes(token), false);
    const rows = await gate.db.selectFrom('links').selectAll().execute();
    assert.equal(JSON.stringify(rows).includes(token), false);
    const cluster = Buffer.from(token, 'base64url').toString('hex', 29);
    assert.ok(rows.some((row) => row.token_hash === cluster + hash('sha256', token)));
  });

  test('rejects other methods with 405', async () => {
    const headers = await gate.asUser('editor');
    for (const method of ['GET', 'DELETE', 'HEAD', 'PUT', 'PATCH'] as const) {
      const answer = await gate.app.inject({ method, url: '/assistant-link/exchange', headers });
      assert.equal(answer.statusCode, 405, method);
      assert.equal(answer.headers.allow, 'POST, OPTIONS');
    }
  });
});

test('is limited per minute and network address', async () => {
  await using gate = await openLinks({ exchangesPerMinute: 2 });
  const statuses = [];
  for (let time = 0; time < 3; time += 1) statuses.push((await gate.exchange('x')).statusCode);
  assert.deepEqual(statuses, [401, 401, 429]);
  const answer = await gate.exchange('x');
  assert.equal(answer.json().code, 'http.too-many-requests');
  assert.ok(Number(answer.headers['retry-after']) > 0);
});

function exchangeBody(gate: LinksUnderTest, payload: string) {
  return gate.app.inject({
    method: 'POST',
    url: '/assistant-link/exchange',
    headers: { 'content-type': 'application/json' },
    payload,
  });
}
