import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUDIT_ACTIONS, type AuditEntry } from '@gatehouse/contract';
import type { Send } from '../support/http/client.ts';
import {
  exchangeLink,
  giveRole,
  type MadeSpace,
  type MadeUser,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { stored, storedTables } from '../support/storage/stored.ts';

const { client, dataDir } = await serviceOfThisFile({
  env: { GATEHOUSE_RATE_LIMIT_SIGN_IN: '0' },
});
let admin = '';
let space: MadeSpace;
let owner: MadeUser;
let ownerSession = '';

before(async () => {
  admin = await signIn(client);
  space = await makeSpace(client, admin);
  owner = await makeUser(client, admin, 'owner');
  await giveRole(client, admin, space.botId, owner.id, 'owner');
  ownerSession = await signIn(client, owner);
});

async function entries(query: string, as = admin): Promise<AuditEntry[]> {
  const answer = await client(`/audit?${query}`, { as });
  assert.equal(answer.status, 200, answer.text);
  return answer.json['items'] as AuditEntry[];
}

/** Returns the newest entry of an action. */
async function newest(action: keyof typeof AUDIT_ACTIONS): Promise<AuditEntry> {
  const [entry] = await entries(`action=${action}&limit=1`);
  assert.ok(entry, action);
  return entry;
}

test('sign-ins are recorded with the user and the address, and never with what was typed', async () => {
  const ben = await makeUser(client, admin, 'ben');
  const attempt = (email: string, password: string) =>
    client('/auth/sign-in/email', { body: { email, password } });
  assert.equal((await attempt(ben.email, 'my mistyped password')).status, 401);
  const failed = await newest('session.failed');
  assert.deepEqual(failed.actor, { type: 'anonymous', id: null, session: null });
  assert.deepEqual(failed.resource, { type: 'session', id: ben.id });
  assert.match(failed.address ?? '', /127\.0\.0\.1|::1/);
  assert.equal((await attempt('a-password-in-the-wrong-field@x.example', 'x')).status, 401);
  assert.equal((await newest('session.failed')).resource.id, null);

  const session = await signIn(client, ben);
  assert.equal((await newest('session.created')).resource.id, ben.id);
  const other = await signIn(client, ben);
  assert.equal((await client('/auth/sessions', { method: 'DELETE', as: session })).status, 204);
  assert.deepEqual((await newest('sessions.ended')).details, { count: 1 });
  assert.equal((await client('/auth/session', { as: other })).status, 401);
  assert.equal((await client('/auth/sign-out', { method: 'POST', as: session })).status, 204);
  const ended = await newest('session.ended');
  assert.deepEqual([ended.actor.id, ended.resource.id], [ben.id, ben.id]);
  const text = JSON.stringify(await entries('limit=200'));
  for (const typed of ['mistyped', 'wrong-field', ben.password, session, other])
    assert.ok(!text.includes(typed), typed);
});

test('a link has entries for its creation by a key, its first opening and its revocation', async () => {
  const key = await makeKey(client, ownerSession, space.id);
  const { json: keys } = await client(`/spaces/${space.id}/api-keys`, { as: ownerSession });
  const keyId = (keys['items'] as { id: string }[]).at(-1)?.id;
  const link = await makeLink(client, key, {
    sub: 'customer-42',
    permissionFilter: { team: { eq: 'a' } },
  });
  const created = await newest('link.created');
  assert.deepEqual(created.actor, { type: 'api-key', id: keyId, session: null });
  assert.deepEqual([created.resource.id, created.spaceId], [link.id, space.id]);
  assert.deepEqual([created.sub, created.details], ['customer-42', { hasPermissionFilter: true }]);

  await Promise.all([1, 2, 3].map(() => exchangeLink(client, link.token)));
  await exchangeLink(client, link.token);
  const opened = await entries(`action=link.opened&resource=${link.id}`);
  assert.equal(opened.length, 1);
  assert.equal(opened[0]?.sub, 'customer-42');

  const revoke = () => client(`/assistant-link/${link.id}`, { method: 'DELETE', as: key });
  assert.deepEqual([(await revoke()).status, (await revoke()).status], [204, 204]);
  assert.equal((await entries(`action=link.revoked&resource=${link.id}`)).length, 1);

  await makeLink(client, key, { sub: 'customer-42' });
  await makeLink(client, key, { sub: 'customer-42' });
  const all = await client('/assistant-link?sub=customer-42', { method: 'DELETE', as: key });
  assert.equal(all.status, 200, all.text);
  const revoked = await newest('links.revoked');
  assert.deepEqual([revoked.sub, revoked.details], ['customer-42', { count: 2 }]);
});

test('a repeated request and a rejected request leave no second entry', async () => {
  const send: Send = {
    as: ownerSession,
    body: { name: 'Once' },
    headers: { 'idempotency-key': 'once' },
  };
  const path = `/spaces/${space.id}/bots`;
  const before = (await entries('action=bot.created&limit=200')).length;
  await client(path, send);
  assert.equal((await client(path, send)).headers.get('idempotent-replayed'), 'true');
  assert.equal((await client(path, { as: ownerSession, body: {} })).status, 400);
  const viewer = await makeUser(client, admin, 'viewer');
  await giveRole(client, admin, space.botId, viewer.id, 'viewer');
  const rejected = { as: await signIn(client, viewer), body: { name: 'Not allowed' } };
  assert.equal((await client(path, rejected)).status, 403);
  assert.equal((await entries('action=bot.created&limit=200')).length, before + 1);
});

test('an owner reads only the entries of the own space, and an administrator those of a deleted space', async () => {
  const other = await makeSpace(client, admin, { name: 'Other' });
  const own = await entries(`spaceId=${space.id}&limit=200`, ownerSession);
  assert.ok(own.length > 3);
  assert.ok(own.every(({ spaceId }) => spaceId === space.id));
  for (const query of ['', `spaceId=${other.id}`])
    assert.equal((await client(`/audit?${query}`, { as: ownerSession })).status, 403, query);
  await client(`/spaces/${other.id}`, { method: 'DELETE', as: admin });
  const left = await entries(`spaceId=${other.id.toUpperCase()}`);
  assert.deepEqual(
    left.map(({ action }) => action),
    ['space.deleted', 'space.created'],
  );
});

test('entries are paged, filtered by actor and time, and never repeated', async () => {
  const seen: AuditEntry[] = [];
  let after = '';
  do {
    const { json } = await client(`/audit?limit=7${after}`, { as: admin });
    seen.push(...(json['items'] as AuditEntry[]));
    after = json['next'] === null ? '' : `&after=${json['next']}`;
  } while (after !== '');
  const ids = seen.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)].toSorted().toReversed());
  for (const { action } of seen) assert.ok(Object.hasOwn(AUDIT_ACTIONS, action), action);
  const ofOwner = await entries(`actor=${owner.id}&limit=200`);
  assert.ok(ofOwner.length > 0 && ofOwner.every(({ actor }) => actor.id === owner.id));
  const [last] = seen;
  const at = encodeURIComponent(last?.at ?? '');
  assert.ok((await entries(`from=${at}`)).some(({ id }) => id === last?.id));
  assert.ok((await entries(`to=${at}`)).every(({ id }) => id !== last?.id));
  for (const query of ['from=yesterday', 'after=x', 'limit=0', 'format=xml', 'unknown=1'])
    assert.equal((await client(`/audit?${query}`, { as: admin })).status, 400, query);
});

test('a filter with an unknown action is rejected with the most similar action', async () => {
  const answer = await client('/audit?action=link.create', { as: admin });
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.json['issues'], [
    { message: 'action: must be an action of the audit (did you mean link.created?)' },
  ]);
});

test('each filter finds the creation of links among the other entries, in pages of any size', async () => {
  const mixed = await makeSpace(client, admin, { name: 'Mixed' });
  const [key, other] = [
    await makeKey(client, admin, mixed.id),
    await makeKey(client, admin, mixed.id),
  ];
  const { json: keys } = await client(`/spaces/${mixed.id}/api-keys`, { as: admin });
  const [keyId, otherId] = (keys['items'] as { id: string }[]).map(({ id }) => id);
  const link = await makeLink(client, key, { sub: 'mixed' });
  await sleep(5);
  await client(`/assistant-link/${link.id}`, { method: 'DELETE', as: other });
  // Entries of the same millisecond are in no particular order.
  await sleep(5);
  const second = await makeLink(client, other, { sub: 'mixed' });
  const actions = async (query: string) =>
    (await entries(`${query}&limit=200`)).map(({ action, resource }) => `${action} ${resource.id}`);
  const [created, revoked] = [`link.created ${link.id}`, `link.revoked ${link.id}`];
  const createdLater = `link.created ${second.id}`;
  const ofSpace = `spaceId=${mixed.id}`;
  assert.deepEqual((await actions(ofSpace)).slice(0, 3), [createdLater, revoked, created]);
  assert.deepEqual(await actions(`${ofSpace}&action=link.created`), [createdLater, created]);
  assert.deepEqual(await actions(`actor=${keyId}`), [created]);
  assert.deepEqual(await actions(`${ofSpace}&actor=${otherId}`), [createdLater, revoked]);
  assert.deepEqual(await actions(`actor=${keyId}&spaceId=${space.id}`), []);
  assert.deepEqual(await actions(`${ofSpace}&resource=${link.id}`), [revoked, created]);
  assert.deepEqual(await actions(`resource=${second.id}&action=link.created`), [createdLater]);
  const all = await entries(`${ofSpace}&limit=200`);
  const at = encodeURIComponent(all.at(-1)?.at ?? '');
  assert.deepEqual(await entries(`${ofSpace}&from=${at}&limit=200`), all);
  const paged: AuditEntry[] = [];
  for (let next: unknown = ''; next !== null; ) {
    const { json } = await client(
      `/audit?${ofSpace}&limit=2${next === '' ? '' : `&after=${next}`}`,
      { as: admin },
    );
    paged.push(...(json['items'] as AuditEntry[]));
    next = json['next'];
  }
  assert.deepEqual(paged, all);
});

test('the creation of a link stays in the audit when its bot or its space is deleted', async () => {
  const left = await makeSpace(client, admin, { name: 'Left' });
  const bot = await client(`/spaces/${left.id}/bots`, { as: admin, body: { name: 'Second' } });
  const key = await makeKey(client, admin, left.id);
  const link = await makeLink(client, key, { sub: 'leaving', botId: bot.json['id'] });
  const kept = await makeLink(client, key, { sub: 'leaving' });
  const created = () => entries(`spaceId=${left.id}&action=link.created`);
  const before = await created();
  assert.deepEqual(
    before.map(({ resource }) => resource.id),
    [kept.id, link.id],
  );
  const botPath = `/bots/${bot.json['id']}`;
  assert.equal((await client(botPath, { method: 'DELETE', as: admin })).status, 204);
  assert.deepEqual(await stored(dataDir, `select id from links where id = '${link.id}'`), []);
  assert.deepEqual(await created(), before);
  await client(`/spaces/${left.id}`, { method: 'DELETE', as: admin });
  assert.deepEqual(await created(), before);
});

test('an export contains all entries, and no cell is evaluated by a spreadsheet', async () => {
  await makeLink(client, ownerSession, { spaceId: space.id, sub: '=1+1' });
  await makeLink(client, ownerSession, { spaceId: space.id, sub: 'a "quoted", name' });
  const query = `spaceId=${space.id}`;
  const jsonl = await client(`/audit/export?${query}&format=jsonl`, { as: ownerSession });
  assert.equal(jsonl.headers.get('content-type'), 'application/jsonl');
  const lines = jsonl.text.trimEnd().split('\n');
  const exported = lines.map((line) => JSON.parse(line) as AuditEntry);
  assert.deepEqual(exported, await entries(`${query}&limit=200`));
  const csv = await client(`/audit/export?${query}&format=csv`, { as: ownerSession });
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(csv.headers.get('content-disposition') ?? '', /filename="audit\.csv"/);
  assert.match(csv.text, /^id,at,action,actorType,/);
  assert.ok(csv.text.includes(",'=1+1,") && csv.text.includes(',"a ""quoted"", name",'));
  assert.equal(csv.text.trimEnd().split('\r\n').length, lines.length + 1);
  assert.equal((await client(`/audit/export?${query}`, { as: admin })).status, 400);
});

test('an entry cannot be changed in the database', async () => {
  assert.ok((await storedTables(dataDir)).includes('audit_entries'));
  for (const change of ["action = 'link.created'", 'at = 0', 'actor_id = null', 'details = null'])
    await assert.rejects(
      stored(dataDir, `update audit_entries set ${change}`),
      /cannot be changed/,
    );
  for (const change of ["creator_kind = 'user'", 'creator_id = null', 'created_at = 0'])
    await assert.rejects(stored(dataDir, `update links set ${change}`), /cannot be changed/);
});
