import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLink } from '@gatehouse/contract';
import { Compile } from 'typebox/compile';
import {
  BANK,
  BANK_BOT,
  BASE_URL,
  type LinksUnderTest,
  openLinks,
  SHOP,
  SHOP_BOT,
  SHOP_SECOND_BOT,
} from '../links.suite.ts';

const BOT_ELSEWHERE = [{ message: 'botId: is not a bot of this space' }];

describe('creating a link', () => {
  let gate: LinksUnderTest;
  before(async () => {
    gate = await openLinks();
  });
  after(() => gate[Symbol.asyncDispose]());

  test('returns the token, the URL, the payload and the location of the link', async () => {
    const answer = await gate.create(await gate.asUser('editor'), { spaceId: SHOP, sub: 'a' });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.match(String(answer.headers.location), /^\/assistant-link\/[0-9a-f-]{36}$/);
    const body = answer.json();
    assert.ok(Compile(createLink.responses[200].schema).Check(body));
    assert.match(body.token, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(body.url, `${BASE_URL}/widget/${body.token}`);
    const exp = gate.now / 1000 + 3600;
    assert.deepEqual(body.jwtPayload, { v: 1, sub: 'a', spaceId: SHOP, exp });
    const shown = await gate.app.inject({
      url: String(answer.headers.location),
      headers: await gate.asUser('editor'),
    });
    assert.equal(shown.statusCode, 200);
  });

  test('generates a different token for each link', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, () => gate.newLink()));
    assert.equal(new Set(tokens.map(({ token }) => token)).size, 50);
  });

  test('accepts every finite exp, and lists, erases and pages through such links', async () => {
    const key = await gate.asKey(SHOP, 'links:write', 'read');
    for (const exp of ['1e300', '1.7976931348623157e308']) {
      const answer = await gate.create(key, `{"sub":"far","exp":${exp}}`);
      assert.equal(answer.statusCode, 200, answer.body);
      assert.ok(answer.body.endsWith(`"exp":${exp}}}`));
      assert.equal((await gate.exchange(answer.json().token)).statusCode, 200);
    }
    const list = (query: string) =>
      gate.app.inject({ url: `/assistant-link?sub=far&limit=1${query}`, headers: key });
    const { items, next } = (await list('&state=active')).json();
    const second = (await list(`&state=active&after=${next}`)).json();
    assert.notEqual(second.items[0].id, items[0].id);
    assert.equal(second.next, null);
    const url = '/assistant-link?sub=far';
    const revoked = await gate.app.inject({ method: 'DELETE', url, headers: key });
    assert.deepEqual(revoked.json(), { revoked: 2 });
  });

  test('a cursor of a list by state is rejected in the list without state, and vice versa', async () => {
    const key = await gate.asKey(SHOP, 'links:write', 'read');
    for (let n = 0; n < 2; n++) await gate.create(key, '{"sub":"paged"}');
    const list = (query: string) =>
      gate.app.inject({ url: `/assistant-link?sub=paged&limit=1${query}`, headers: key });
    for (const [query, other] of [
      ['&state=active', ''],
      ['', '&state=active'],
    ] as const) {
      const { next } = (await list(query)).json();
      assert.equal((await list(`${query}&after=${next}`)).statusCode, 200);
      const rejected = await list(`${other}&after=${next}`);
      assert.equal(rejected.statusCode, 400);
      assert.match(rejected.json().message, /after: belongs to a page with another `state`; /);
    }
  });

  test('preserves the exact text of payload members and does not pollute prototypes', async () => {
    const free =
      '{"n":12345678901234567890,"e":1e400,"__proto__":{"polluted":1},"deep":{"__proto__":[]}}';
    const members = `"email":"a@b","aud":"x","iss":"y","context":${free},"widget":${free},"filter":${free},"features":{"beta":1},"systemPromptInsertion":"Be kind."`;
    const editor = await gate.asUser('editor');
    const answer = await gate.create(
      editor,
      `{"spaceId":"${SHOP}",${members},"userInformation":${free},"ttlSeconds":60}`,
    );
    const exp = gate.now / 1000 + 60;
    const payload = `{"v":1,${members},"spaceId":"${SHOP}","exp":${exp}}`;
    assert.ok(answer.body.endsWith(`"jwtPayload":${payload}}`));
    const exchanged = await gate.exchange(answer.json().token);
    const forBrowsers = `{"v":1,"email":"a@b","aud":"x","iss":"y","widget":${free},"features":{"beta":1},"spaceId":"${SHOP}","exp":${exp}}`;
    assert.ok(exchanged.body.endsWith(`"jwtPayload":${forBrowsers}}`));
    const shown = await gate.app.inject({ url: String(answer.headers.location), headers: editor });
    assert.ok(shown.body.endsWith(`"jwtPayload":${payload},"userInformation":${free}}`));
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  test('uses the space of the bot if the request has only a botId, and returns deprecation headers', async () => {
    const answer = await gate.create(await gate.asUser('editor'), { botId: SHOP_BOT });
    assert.equal(answer.statusCode, 200);
    assert.match(String(answer.headers.deprecation), /^@\d{10}$/);
    assert.ok(Number(String(answer.headers.deprecation).slice(1)) * 1000 < gate.now);
    assert.match(String(answer.headers.link), /rel="deprecation"/);
    const { jwtPayload } = answer.json();
    assert.equal(jwtPayload.spaceId, SHOP);
    assert.equal(jwtPayload.botId, SHOP_BOT);
  });

  test('accepts a botId together with its spaceId without deprecation headers', async () => {
    const answer = await gate.create(await gate.asUser('editor'), {
      spaceId: SHOP,
      botId: SHOP_SECOND_BOT,
    });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers.deprecation, undefined);
  });

  test('returns the same error for an unknown bot and for a bot of another space', async () => {
    const editor = await gate.asUser('editor');
    for (const botId of [BANK_BOT, 4711]) {
      const answer = await gate.create(editor, { spaceId: SHOP, botId });
      assert.equal(answer.statusCode, 400);
      assert.deepEqual(answer.json().issues, BOT_ELSEWHERE);
    }
    const stranger = await gate.asUser(null);
    for (const botId of [SHOP_BOT, BANK_BOT, 4711])
      assert.equal((await gate.create(stranger, { spaceId: SHOP, botId })).statusCode, 403);
  });

  test('requires edit rights on the space or on the requested bot', async () => {
    const create = async (role: 'viewer' | 'editor' | 'owner' | null, body: object) =>
      (await gate.create(await gate.asUser(role), body)).statusCode;
    for (const body of [{ spaceId: SHOP }, { botId: SHOP_BOT }]) {
      assert.equal(await create('viewer', body), 403);
      assert.equal(await create(null, body), 403);
      assert.equal(await create('owner', body), 200);
      assert.equal((await gate.create({}, body)).statusCode, 401);
      assert.equal((await gate.create(await gate.asAdmin(), body)).statusCode, 200);
    }
    // The user is an editor of the space's first bot and has no role on the second.
    assert.equal(await create('editor', { botId: SHOP_SECOND_BOT }), 403);
    assert.equal(await create('editor', { botId: BANK_BOT }), 403);
    assert.equal(await create('editor', { spaceId: BANK }), 403);
  });

  test('uses the space of the API key if the request names no space', async () => {
    const key = await gate.asKey(SHOP, 'links:write');
    assert.equal((await gate.create(key, {})).json().jwtPayload.spaceId, SHOP);
    assert.equal((await gate.create(key, { spaceId: SHOP })).statusCode, 200);
    assert.equal((await gate.create(key, { botId: SHOP_BOT })).statusCode, 200);
    assert.equal((await gate.create(key, { spaceId: BANK })).statusCode, 403);
    assert.equal((await gate.create(key, { botId: BANK_BOT })).statusCode, 403);
    assert.equal((await gate.create(key, { botId: 4711 })).statusCode, 403);
  });

  test('requires the scope links:write from an API key', async () => {
    const key = await gate.asKey(SHOP, 'read', 'events:write', 'knowledge:write');
    assert.equal((await gate.create(key, {})).statusCode, 403);
  });

  test('requires a space from a user session', async () => {
    const answer = await gate.create(await gate.asUser('editor'), {});
    assert.equal(answer.statusCode, 400);
    const [{ message }] = answer.json().issues;
    assert.match(message, /^spaceId: .*botId/);
  });

  test('rejects widget sessions', async () => {
    const { token } = await gate.newLink();
    const { accessToken } = (await gate.exchange(token)).json();
    const answer = await gate.create({ authorization: `Bearer ${accessToken}` }, {});
    assert.equal(answer.statusCode, 403);
  });
});
