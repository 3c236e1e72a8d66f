import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Link, listLinks, showLink } from '@gatehouse/contract';
import { Compile } from 'typebox/compile';
import { BANK, type LinksUnderTest, openLinks, SHOP } from '../links.suite.ts';

type Headers = Readonly<Record<string, string>>;
const UNKNOWN_ID = '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2';

describe('existing links', () => {
  let gate: LinksUnderTest;
  before(async () => {
    gate = await openLinks();
  });
  after(() => gate[Symbol.asyncDispose]());

  const get = (url: string, headers: Headers) => gate.app.inject({ url, headers });
  const revoke = (id: string, headers: Headers) =>
    gate.app.inject({ method: 'DELETE', url: `/assistant-link/${id}`, headers });

  test('links are listed oldest first, in pages, without tokens', async () => {
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push(await gate.newLink({ sub: `s${count}` }));
    const editor = await gate.asUser('editor');
    const listed: Link[] = [];
    let next: string | null = null;
    do {
      const after = next === null ? '' : `&after=${next}`;
      const url: string = `/assistant-link?spaceId=${SHOP}&limit=2${after}`;
      const answer = await get(url, editor);
      assert.ok(Compile(listLinks.responses[200].schema).Check(answer.json()));
      for (const { token } of made) assert.equal(answer.body.includes(token), false);
      assert.ok(answer.json().items.length <= 2);
      listed.push(...answer.json().items);
      next = answer.json().next;
    } while (next !== null);
    const ids = listed.map(({ id }) => id);
    assert.deepEqual(ids, ids.toSorted());
    for (const { id, token } of made) {
      const link = listed.find((one) => one.id === id);
      assert.equal(link?.tokenPrefix, token.slice(0, 6));
      assert.equal(link?.state, 'active');
    }
  });

  test('a single link is returned with its payload and state', async () => {
    const { id } = await gate.newLink({ sub: 'a', userInformation: { name: 'Ada' } });
    const answer = await get(`/assistant-link/${id.toUpperCase()}`, await gate.asUser('editor'));
    assert.equal(answer.statusCode, 200);
    assert.ok(Compile(showLink.responses[200].schema).Check(answer.json()));
    const { jwtPayload, userInformation, state, createdAt } = answer.json();
    assert.equal(jwtPayload.sub, 'a');
    assert.deepEqual(userInformation, { name: 'Ada' });
    assert.equal(state, 'active');
    assert.equal(createdAt, new Date(gate.now).toISOString());
  });

  test('a link is revoked permanently, and revoking the link again succeeds', async () => {
    const { id } = await gate.newLink();
    const editor = await gate.asUser('editor');
    for (let time = 0; time < 2; time += 1) {
      const answer = await revoke(id, editor);
      assert.equal(answer.statusCode, 204);
      assert.equal(answer.body, '');
    }
    const { state, revokedAt } = (await get(`/assistant-link/${id}`, editor)).json();
    assert.equal(state, 'revoked');
    assert.equal(revokedAt, new Date(gate.now).toISOString());
  });

  test('revoking a link again preserves the time of the first revocation, and an expired link stays expired', async (t) => {
    const start = gate.now;
    t.after(() => {
      gate.now = start;
    });
    const early = await gate.newLink({ ttlSeconds: 60 });
    const late = await gate.newLink({ ttlSeconds: 60 });
    const editor = await gate.asUser('editor');
    await revoke(early.id, editor);
    gate.now = start + 61_000;
    for (const { id } of [early, late]) assert.equal((await revoke(id, editor)).statusCode, 204);
    const show = async (id: string) => (await get(`/assistant-link/${id}`, editor)).json();
    assert.equal((await show(early.id)).state, 'revoked');
    assert.equal((await show(early.id)).revokedAt, new Date(start).toISOString());
    assert.equal((await show(late.id)).state, 'expired');
  });

  test('existing links require edit rights or an API key with the scope', async () => {
    const { id } = await gate.newLink();
    const callers: [words: string, headers: Headers, read: number, write: number][] = [
      ['no credential', {}, 401, 401],
      ['viewer', await gate.asUser('viewer'), 403, 403],
      ['editor', await gate.asUser('editor'), 200, 204],
      ['owner', await gate.asUser('owner'), 200, 204],
      ['administrator', await gate.asAdmin(), 200, 204],
      ['key that reads', await gate.asKey(SHOP, 'read'), 200, 403],
      ['key that writes', await gate.asKey(SHOP, 'links:write'), 403, 204],
    ];
    for (const [words, headers, read, write] of callers) {
      const shown = await get(`/assistant-link/${id}`, headers);
      const listed = await get(`/assistant-link?spaceId=${SHOP}`, headers);
      assert.equal(shown.statusCode, read, words);
      assert.equal(listed.statusCode, read, words);
      assert.equal((await revoke(id, headers)).statusCode, write, words);
    }
  });

  test('callers without any right on the space of a link get 404', async () => {
    const { id } = await gate.newLink();
    const callers = [
      await gate.asUser(null),
      await gate.asUser('owner', BANK),
      await gate.asKey(BANK, 'read', 'links:write'),
    ];
    for (const headers of callers)
      for (const url of [id, UNKNOWN_ID]) {
        for (const answer of [
          await get(`/assistant-link/${url}`, headers),
          await revoke(url, headers),
        ]) {
          assert.equal(answer.statusCode, 404);
          assert.equal(answer.json().code, 'links.not-found');
        }
      }
    const editor = await gate.asUser('editor');
    assert.equal((await get(`/assistant-link/${UNKNOWN_ID}`, editor)).statusCode, 404);
    assert.equal((await get(`/assistant-link/${id}`, editor)).json().state, 'active');
  });

  test('a list contains only the links of the requested space', async () => {
    const key = await gate.asKey(BANK, 'read', 'links:write');
    const made = await gate.create(key, {});
    const listed = (await get('/assistant-link', key)).json().items;
    assert.equal(listed.length, 1);
    assert.equal(made.headers.location, `/assistant-link/${listed[0].id}`);
    assert.equal((await get(`/assistant-link?spaceId=${SHOP}`, key)).statusCode, 403);
    assert.equal(
      (await get(`/assistant-link?spaceId=${BANK}`, await gate.asUser('editor'))).statusCode,
      403,
    );
  });

  test('listing links requires a space and valid page parameters', async () => {
    const editor = await gate.asUser('editor');
    const nowhere = await get('/assistant-link', editor);
    assert.equal(nowhere.statusCode, 400);
    assert.match(nowhere.json().issues[0].message, /^spaceId: /);
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'after=',
      'after=%21',
      'after=YQ',
      'x=1',
    ])
      assert.equal(
        (await get(`/assistant-link?spaceId=${SHOP}&${query}`, editor)).statusCode,
        400,
        query,
      );
    assert.equal((await get('/assistant-link/x', editor)).statusCode, 400);
  });
});

test('the key set contains only the public key and is cacheable', async () => {
  await using gate = await openLinks();
  const answer = await gate.app.inject({ url: '/.well-known/jwks.json' });
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers['cache-control'], 'public, max-age=300');
  assert.deepEqual(answer.json(), { keys: [gate.signingKey.publicJwk] });
  assert.equal('d' in answer.json().keys[0], false);
});
