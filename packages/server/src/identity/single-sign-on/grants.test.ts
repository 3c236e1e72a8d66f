import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { inTransaction } from '../../storage/ports/index.ts';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSpaces } from '../spaces.suite.ts';
import { addRole } from './grants.repository.ts';
import { createPersonRepository, type SignedInPerson } from './person.repository.ts';
import type { Person } from './person.rules.ts';

type Role = 'viewer' | 'editor' | 'owner';

const ISSUER = 'https://login.example';
const identity = await openSpaces();
after(() => identity[Symbol.asyncDispose]());
const root = await identity.person(ADMIN_EMAIL);
const space = await identity.newSpace(root.token);
const [one, two] = [space.defaultBotId, await newBot('Two')];
const people = createPersonRepository(identity.db);

let number = 0;
let subject = '';
let userId = '';

beforeEach(async () => {
  number += 1;
  subject = `person-${number}`;
  userId = (await signIn({})).userId;
});

async function newBot(name: string): Promise<number> {
  const answer = await identity.call('POST', `/spaces/${space.id}/bots`, root.token, { name });
  return Number(answer.body.id);
}

/** Signs the current person in with these rights. */
async function signIn(rights: {
  isAdmin?: boolean;
  roles?: Readonly<Record<number, Role>>;
}): Promise<Extract<SignedInPerson, { kind: 'signed-in' }>> {
  const { isAdmin = false, roles = {} } = rights;
  const person: Person = {
    subject,
    email: `${subject}@example.com`,
    name: subject,
    isAdmin,
    roles: new Map(Object.entries(roles).map(([bot, role]) => [Number(bot), role])),
  };
  const code = { hash: randomUUID(), expiresAt: identity.now };
  const result = await people.signIn(ISSUER, person, code, identity.now);
  if (result.kind !== 'signed-in') throw new Error(result.kind);
  return result;
}

async function roles(): Promise<Readonly<Record<number, Role>>> {
  const rows = await identity.db
    .selectFrom('bot_members')
    .select(['bot_id', 'role'])
    .where('user_id', '=', userId)
    .execute();
  return Object.fromEntries(rows.map(({ bot_id, role }) => [bot_id, role]));
}

const isAdmin = async () => (await identity.users.show(userId)).admin;
const setRole = (bot: number, role: Role) => identity.setRole(root.token, bot, userId, role);
const setAdmin = (admin: boolean) =>
  identity.call('PATCH', `/users/${userId}`, root.token, { admin });

test('roles follow the groups at each sign-in', async () => {
  await signIn({ roles: { [one]: 'viewer', [two]: 'owner' } });
  assert.deepEqual(await roles(), { [one]: 'viewer', [two]: 'owner' });
  await signIn({ roles: { [one]: 'editor' } });
  assert.deepEqual(await roles(), { [one]: 'editor' });
  await signIn({});
  assert.deepEqual(await roles(), {});
  assert.deepEqual(await identity.db.selectFrom('sso_roles').selectAll().execute(), []);
});

test('a role that an owner assigned remains, and the higher role applies', async () => {
  await setRole(one, 'viewer');
  await setRole(two, 'editor');
  await signIn({ roles: { [one]: 'editor', [two]: 'viewer' } });
  assert.deepEqual(await roles(), { [one]: 'editor', [two]: 'editor' });
  await signIn({ roles: { [one]: 'owner' } });
  assert.deepEqual(await roles(), { [one]: 'owner', [two]: 'editor' });
  await signIn({});
  assert.deepEqual(await roles(), { [one]: 'viewer', [two]: 'editor' });
});

test('an owner who changes a role of a group makes it permanent, and groups can raise it again', async () => {
  await signIn({ roles: { [one]: 'editor' } });
  await setRole(one, 'editor');
  await signIn({});
  assert.deepEqual(await roles(), { [one]: 'editor' });
  await setRole(one, 'viewer');
  await signIn({ roles: { [one]: 'owner' } });
  assert.deepEqual(await roles(), { [one]: 'owner' });
  await signIn({});
  assert.deepEqual(await roles(), { [one]: 'viewer' });
});

test('a role from an accepted invitation remains, whatever the groups grant', async () => {
  const accept = (bot: number, role: Role) =>
    inTransaction(identity.db, (trx) =>
      addRole(trx, { spaceId: space.id, botId: bot }, { userId, role, now: identity.now }),
    );
  await signIn({ roles: { [one]: 'viewer', [two]: 'editor' } });
  await accept(one, 'editor');
  await accept(two, 'viewer');
  assert.deepEqual(await roles(), { [one]: 'editor', [two]: 'editor' });
  await signIn({ roles: { [one]: 'viewer', [two]: 'editor' } });
  assert.deepEqual(await roles(), { [one]: 'editor', [two]: 'editor' });
  await signIn({});
  assert.deepEqual(await roles(), { [one]: 'editor', [two]: 'viewer' });
});

test('a removed member gets the role of the group again, and loses it with the group', async () => {
  await signIn({ roles: { [one]: 'editor' } });
  await identity.call('DELETE', `/bots/${one}/members/${userId}`, root.token);
  assert.deepEqual(await roles(), {});
  await signIn({ roles: { [one]: 'editor' } });
  assert.deepEqual(await roles(), { [one]: 'editor' });
  await signIn({});
  assert.deepEqual(await roles(), {});
});

test('roles on bots that do not exist or were deleted are ignored', async () => {
  const three = await newBot('Three');
  await signIn({ roles: { [three]: 'editor', 987654: 'owner' } });
  assert.deepEqual(await roles(), { [three]: 'editor' });
  await identity.call('DELETE', `/bots/${three}`, root.token);
  await signIn({ roles: { [three]: 'editor' } });
  assert.deepEqual(await roles(), {});
});

test('the last owner loses the role with the group, and the bot is reported', async () => {
  const three = await newBot('Three');
  await signIn({ roles: { [three]: 'owner' } });
  const removed = await identity.call('DELETE', `/bots/${three}/members/${root.id}`, root.token);
  assert.equal(removed.status, 204);
  assert.deepEqual((await signIn({})).grants.withoutOwner, [three]);
  assert.deepEqual(await roles(), {});
});

test('a user is an administrator for as long as a group grants it', async () => {
  assert.equal((await signIn({ isAdmin: true })).grants.admin, 'granted');
  assert.equal(await isAdmin(), true);
  assert.equal((await signIn({ isAdmin: true })).grants.admin, null);
  assert.equal((await signIn({})).grants.admin, 'removed');
  assert.equal(await isAdmin(), false);
});

test('an administrator by hand remains an administrator', async () => {
  await setAdmin(true);
  await signIn({ isAdmin: true });
  await signIn({});
  assert.equal(await isAdmin(), true);
});

test('an administrator who changes the right by hand makes it permanent, and groups can grant it again', async () => {
  await signIn({ isAdmin: true });
  await setAdmin(true);
  await signIn({});
  assert.equal(await isAdmin(), true);
  await setAdmin(false);
  await signIn({ isAdmin: true });
  assert.equal(await isAdmin(), true);
  await signIn({});
  assert.equal(await isAdmin(), false);
});

test('rights of other users do not change', async () => {
  const other = await identity.person('other@example.com');
  await identity.setRole(root.token, one, other.id, 'editor');
  await signIn({ isAdmin: true, roles: { [one]: 'owner' } });
  await signIn({});
  const rows = await identity.db
    .selectFrom('bot_members')
    .select('role')
    .where('user_id', '=', other.id)
    .execute();
  assert.deepEqual(
    rows.map(({ role }) => role),
    ['editor'],
  );
  assert.equal((await identity.users.show(root.id)).admin, true);
});
