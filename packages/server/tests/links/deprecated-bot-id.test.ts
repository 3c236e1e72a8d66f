import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveRole, makeKey, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const admin = await signIn(client);
const space = await makeSpace(client, admin);
const other = await makeSpace(client, admin);

const create = (as: string, body: object) => client('/assistant-link', { as, body });
const payloadOf = (json: Readonly<Record<string, unknown>>) =>
  json['jwtPayload'] as { spaceId: string; botId?: number };

test("a request with a botId and no spaceId creates the link in the bot's space and returns deprecation headers", async () => {
  const answer = await create(admin, { botId: space.botId });
  assert.equal(answer.status, 200);
  const { spaceId, botId } = payloadOf(answer.json);
  assert.deepEqual({ spaceId, botId }, { spaceId: space.id, botId: space.botId });
  assert.match(answer.headers.get('deprecation') ?? '', /^@\d+$/, 'RFC 9745');
  assert.match(answer.headers.get('link') ?? '', /rel="deprecation"/);
});

test('a request with a botId and a spaceId is not deprecated, and the bot must belong to that space', async () => {
  const both = await create(admin, { spaceId: space.id, botId: space.botId });
  assert.equal(both.status, 200);
  assert.equal(payloadOf(both.json).botId, space.botId);
  assert.equal(both.headers.get('deprecation'), null);

  const mixed = await create(admin, { spaceId: space.id, botId: other.botId });
  assert.equal(mixed.status, 400);
  assert.equal(mixed.json['code'], 'links.invalid');
  assert.match(mixed.text, /botId: is not a bot of this space/);
});

test('a request without a botId returns no deprecation header and no botId', async () => {
  const answer = await create(admin, { spaceId: space.id });
  assert.equal(answer.headers.get('deprecation'), null);
  assert.equal('botId' in payloadOf(answer.json), false);
});

test('a key can use bots of its own space and cannot detect whether other bots exist', async () => {
  const key = await makeKey(client, admin, space.id, ['links:write']);
  assert.equal((await create(key, { botId: space.botId })).status, 200);
  const foreign = await create(key, { botId: other.botId });
  const missing = await create(key, { botId: 987_654_321 });
  assert.equal(foreign.status, 403);
  assert.deepEqual([missing.status, missing.text], [foreign.status, foreign.text]);
});

test('an editor of one bot can use the botId of another bot in the space only with a spaceId', async () => {
  const ivy = await makeUser(client, admin, 'ivy');
  const bot = await client(`/spaces/${space.id}/bots`, { as: admin, body: { name: 'Second' } });
  const second = Number(bot.json['id']);
  await giveRole(client, admin, second, ivy.id, 'editor');
  const session = await signIn(client, ivy);
  assert.equal((await create(session, { botId: second })).status, 200);
  assert.equal((await create(session, { botId: space.botId })).status, 403);
  assert.equal((await create(session, { spaceId: space.id, botId: space.botId })).status, 200);
});

test('botId must be a safe integer', async () => {
  for (const botId of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -1])
    assert.equal((await create(admin, { botId })).status, 403, `${botId} names no bot`);
  for (const botId of ['9007199254740992', '-9007199254740992', '1.5', '"1"', 'null']) {
    const answer = await client('/assistant-link', { as: admin, body: `{"botId":${botId}}` });
    assert.equal(answer.status, 400, botId);
    assert.match(answer.text, /"botId: /);
  }
});
