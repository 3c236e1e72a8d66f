import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const loginUrl = 'https://shop.example/sign-in';

const exchange = (linkToken: string) => client('/assistant-link/exchange', { body: { linkToken } });
const revoke = (id: string, as = session) =>
  client(`/assistant-link/${id}`, { method: 'DELETE', as });
/**
 * Reports whether a widget session is active. `/spaces` rejects every widget session, but with this error code only if
 * the session is active.
 */
const isLive = async (widgetSession: string) =>
  (await client('/spaces', { as: widgetSession })).json['code'] === 'access.wrong-credential';

test('revoking a link ends all its sessions immediately', async () => {
  const { id, token } = await makeLink(client, session, { spaceId });
  const sessions = [await exchangeLink(client, token), await exchangeLink(client, token)];
  for (const one of sessions) assert.ok(await isLive(one));
  assert.equal((await revoke(id)).status, 204);
  for (const one of sessions) assert.equal(await isLive(one), false);
});

test('a revoked link cannot be exchanged, and the error contains the loginUrl', async () => {
  const { id, token } = await makeLink(client, session, { spaceId, loginUrl });
  await revoke(id);
  const answer = await exchange(token);
  assert.equal(answer.status, 410);
  assert.equal(answer.json['code'], 'links.revoked');
  assert.equal(answer.json['loginUrl'], loginUrl);
});

test('revoking a link again keeps the time of the first revocation', async () => {
  const { id } = await makeLink(client, session, { spaceId });
  const key = await makeKey(client, session, spaceId, ['links:write']);
  await revoke(id);
  const first = (await client(`/assistant-link/${id}`, { as: session })).json;
  assert.equal(first['state'], 'revoked');
  assert.equal((await revoke(id, key)).status, 204);
  const second = (await client(`/assistant-link/${id}`, { as: session })).json;
  assert.equal(second['revokedAt'], first['revokedAt']);
});

test('a key cannot find or revoke a link of another space', async () => {
  const { id, token } = await makeLink(client, session, { spaceId });
  const other = await makeSpace(client, session);
  const key = await makeKey(client, session, other.id, ['links:write']);
  const rejected = await revoke(id, key);
  assert.equal(rejected.status, 404);
  assert.equal(rejected.json['code'], 'links.not-found');
  assert.equal((await exchange(token)).status, 200);
});

test('a link and its sessions expire at the time in `exp`, and a later revocation does not change the status', async () => {
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

test('deleting a space ends its links and sessions', async () => {
  const other = await makeSpace(client, session);
  const { token } = await makeLink(client, session, { spaceId: other.id });
  const widget = await exchangeLink(client, token);
  await client(`/spaces/${other.id}`, { method: 'DELETE', as: session });
  assert.equal((await exchange(token)).json['code'], 'links.unknown');
  assert.equal(await isLive(widget), false);
});

test('exchanging any string that is not a token returns links.unknown', async () => {
  const made = await makeLink(client, session, { spaceId });
  for (const token of [made.token.slice(1), made.id, `${made.token}=`, 'gh_4fTq', '\u{1F511}']) {
    const answer = await exchange(token);
    assert.equal(answer.status, 401, token);
    assert.equal(answer.json['code'], 'links.unknown');
  }
});

test('revoking the links of a person ends all sessions of these links, and no others', async () => {
  const [first, second, other] = [
    await makeLink(client, session, { spaceId, sub: 'ada' }),
    await makeLink(client, session, { spaceId, sub: 'ada' }),
    await makeLink(client, session, { spaceId, sub: 'bob' }),
  ];
  const elsewhere = await makeSpace(client, session);
  const foreign = await makeLink(client, session, { spaceId: elsewhere.id, sub: 'ada' });
  const sessions = [];
  for (const { token } of [first, second]) sessions.push(await exchangeLink(client, token));
  const kept = [await exchangeLink(client, other.token), await exchangeLink(client, foreign.token)];

  const key = await makeKey(client, session, spaceId, ['links:write', 'read']);
  const revokeAll = () => client('/assistant-link?sub=ada', { method: 'DELETE', as: key });
  const answer = await revokeAll();
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json, { revoked: 2 });
  for (const one of sessions) assert.equal(await isLive(one), false);
  for (const one of kept) assert.ok(await isLive(one));
  assert.equal((await exchange(first.token)).json['code'], 'links.revoked');
  assert.deepEqual((await revokeAll()).json, { revoked: 0 });

  const revoked = await client('/assistant-link?sub=ada&state=revoked&limit=1', { as: key });
  const [shown] = revoked.json['items'] as { id: string; sub: string; state: string }[];
  assert.deepEqual([shown?.sub, shown?.state], ['ada', 'revoked']);
  const next = await client(`/assistant-link?sub=ada&state=revoked&after=${revoked.json['next']}`, {
    as: key,
  });
  const [last] = next.json['items'] as { id: string }[];
  assert.deepEqual([shown?.id, last?.id].sort(), [first.id, second.id].sort());
  assert.equal(next.json['next'], null);
  const active = await client('/assistant-link?sub=ada&state=active', { as: key });
  assert.deepEqual(active.json, { items: [], next: null });
});

test('revoking the links of a person ends none if the `sub` is not UTF-8, and reads any other encoding', async () => {
  const { id } = await makeSpace(client, session);
  const revokeAll = async (sub: string) => {
    const path = `/assistant-link?spaceId=${id}&sub=${sub}`;
    const { status, json } = await client(path, { method: 'DELETE', as: session });
    return `${status} ${json['code'] ?? json['revoked']}`;
  };
  for (const sub of ['%FF', 'a+b é%']) await makeLink(client, session, { spaceId: id, sub });
  assert.equal(await revokeAll('%FF'), '400 http.bad-request');
  assert.equal(await revokeAll('a+b%20%C3%A9%'), '400 http.bad-request');
  assert.equal(await revokeAll('%25FF'), '200 1');
  assert.equal(await revokeAll('a%2Bb+%c3%a9%25'), '200 1');
});

test('revoking the links of a person requires `sub`, and with a session also `spaceId`', async () => {
  const path = `/assistant-link?spaceId=${spaceId}`;
  const withoutSub = await client(path, { method: 'DELETE', as: session });
  assert.equal(withoutSub.status, 400);
  assert.deepEqual(withoutSub.json['issues'], [
    { message: 'sub: is required; send the `sub` of the person whose links are to be revoked' },
  ]);
  const empty = await client(`${path}&sub=`, { method: 'DELETE', as: session });
  assert.deepEqual(empty.json['issues'], [{ message: 'sub: must not be empty' }]);
  const withoutSpace = await client('/assistant-link?sub=ada', { method: 'DELETE', as: session });
  assert.deepEqual(withoutSpace.json['issues'], [
    { message: 'spaceId: is required with a session' },
  ]);
});

test('a list of links rejects an unknown state, a NUL in the sub, and a cursor of another list', async () => {
  await makeLink(client, session, { spaceId, sub: 'ada' });
  const list = (query: string) =>
    client(`/assistant-link?spaceId=${spaceId}&limit=1&${query}`, { as: session });
  assert.equal((await list('state=ended')).status, 400);
  assert.equal((await list('sub=a%00')).status, 400);
  const { json } = await list('');
  assert.equal((await list(`after=${json['next']}`)).status, 200);
  assert.equal((await list(`state=revoked&after=${json['next']}`)).status, 400);
});
