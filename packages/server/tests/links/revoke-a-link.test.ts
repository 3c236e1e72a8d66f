import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceOfThisFile } from '../support/file-service.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const loginUrl = 'https://shop.example/sign-in';

const exchange = (linkToken: string) => client('/assistant-link/exchange', { body: { linkToken } });
const revoke = (id: string, as = session) =>
  client(`/assistant-link/${id}`, { method: 'DELETE', as });
/** Everything refuses a widget session as yet, but only a live one is known as such. */
const isLive = async (widgetSession: string) =>
  (await client('/spaces', { as: widgetSession })).json['code'] === 'access.wrong-credential';

test('a revoked link ends every session that came from it with the next request', async () => {
  const { id, token } = await makeLink(client, session, { spaceId });
  const sessions = [await exchangeLink(client, token), await exchangeLink(client, token)];
  for (const one of sessions) assert.ok(await isLive(one));
  assert.equal((await revoke(id)).status, 204);
  for (const one of sessions) assert.equal(await isLive(one), false);
});

test('a revoked link cannot be exchanged, and says where to get a new one', async () => {
  const { id, token } = await makeLink(client, session, { spaceId, loginUrl });
  await revoke(id);
  const answer = await exchange(token);
  assert.equal(answer.status, 410);
  assert.equal(answer.json['code'], 'links.revoked');
  assert.equal(answer.json['loginUrl'], loginUrl);
});

test('a link is revoked once, however often and by whomever it is asked for', async () => {
  const { id } = await makeLink(client, session, { spaceId });
  const key = await makeKey(client, session, spaceId, ['links:write']);
  await revoke(id);
  const first = (await client(`/assistant-link/${id}`, { as: session })).json;
  assert.equal(first['state'], 'revoked');
  assert.equal((await revoke(id, key)).status, 204);
  const second = (await client(`/assistant-link/${id}`, { as: session })).json;
  assert.equal(second['revokedAt'], first['revokedAt']);
});

test('a link of another space is not found, and stays', async () => {
  const { id, token } = await makeLink(client, session, { spaceId });
  const other = await makeSpace(client, session);
  const key = await makeKey(client, session, other.id, ['links:write']);
  const refused = await revoke(id, key);
  assert.equal(refused.status, 404);
  assert.equal(refused.json['code'], 'links.not-found');
  assert.equal((await exchange(token)).status, 200);
});

test('a link ends at its exp with its sessions, and revoking it then changes nothing', async () => {
  const exp = Date.now() / 1000 + 1.2;
  const { id, token } = await makeLink(client, session, { spaceId, exp, loginUrl });
  const widget = await exchangeLink(client, token);
  await sleep(exp * 1000 - Date.now() + 10);
  const answer = await exchange(token);
  assert.equal(answer.status, 410);
  assert.equal(answer.json['code'], 'links.expired');
  assert.equal(answer.json['loginUrl'], loginUrl);
  assert.equal(await isLive(widget), false);
  assert.equal((await revoke(id)).status, 204);
  assert.equal((await client(`/assistant-link/${id}`, { as: session })).json['state'], 'expired');
});

test('the links and sessions of a space end with it', async () => {
  const other = await makeSpace(client, session);
  const { token } = await makeLink(client, session, { spaceId: other.id });
  const widget = await exchangeLink(client, token);
  await client(`/spaces/${other.id}`, { method: 'DELETE', as: session });
  assert.equal((await exchange(token)).json['code'], 'links.unknown');
  assert.equal(await isLive(widget), false);
});

test('what is no token at all is unknown, and nothing says more than that', async () => {
  const made = await makeLink(client, session, { spaceId });
  for (const token of [made.token.slice(1), made.id, `${made.token}=`, 'gh_4fTq', '\u{1F511}']) {
    const answer = await exchange(token);
    assert.equal(answer.status, 401, token);
    assert.equal(answer.json['code'], 'links.unknown');
  }
});
