import type { Role } from '@gatehouse/contract';
import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { higherRole, type Person } from './person.rules.ts';

/** Changes that an operator should see in the log. */
export interface GrantChanges {
  readonly admin: 'granted' | 'removed' | null;
  /** Bots that no longer have an owner. */
  readonly withoutOwner: readonly number[];
}

interface Grant {
  readonly spaceId: string;
  readonly botId: number;
  /** Role that the groups of the user grant now. */
  readonly wanted: Role | null;
  /** Role that an owner assigned. */
  readonly manual: Role | null;
  readonly current: Role | null;
}

/**
 * Grants the rights of a person's groups, and removes rights that earlier groups granted. Rights that an administrator or owner
 * granted remain. A bot may lose its last owner, because revocation takes precedence.
 *
 * @param now Unix milliseconds.
 */
export async function synchroniseGrants(
  trx: Database,
  userId: string,
  person: Pick<Person, 'isAdmin' | 'roles'>,
  now: number,
): Promise<GrantChanges> {
  const admin = await synchroniseAdministrator(trx, userId, person.isAdmin);
  const grants = await grantsOf(trx, userId, person.roles);
  const withoutOwner: number[] = [];
  for (const grant of grants) {
    const role = await applyGrant(trx, userId, grant, now);
    if (grant.current === 'owner' && role !== 'owner' && !(await hasOwner(trx, grant)))
      withoutOwner.push(grant.botId);
  }
  return { admin, withoutOwner };
}

/**
 * Makes an administrator's or owner's change permanent: `synchroniseGrants` treats `is_admin` as set by hand from now on.
 */
export async function keepAdministrator(trx: Database, userId: string): Promise<void> {
  await trx.deleteFrom('sso_administrators').where('user_id', '=', userId).execute();
}

/** Does the same for the role of a user on a bot. */
export async function keepRole(
  trx: Database,
  { spaceId, botId }: { readonly spaceId: string; readonly botId: number },
  userId: string,
): Promise<void> {
  await trx
    .deleteFrom('sso_roles')
    .where('space_id', '=', spaceId)
    .where('bot_id', '=', botId)
    .where('user_id', '=', userId)
    .execute();
}

/**
 * Adds a role on a bot, which remains when a group no longer grants one. If the user has a higher role, it is kept.
 *
 * @param given `now` in Unix milliseconds.
 */
export async function addRole(
  trx: Database,
  { spaceId, botId }: { readonly spaceId: string; readonly botId: number },
  { userId, role, now }: { readonly userId: string; readonly role: Role; readonly now: number },
): Promise<void> {
  const current = await trx
    .selectFrom('bot_members')
    .leftJoin('sso_roles', (join) =>
      join
        .onRef('sso_roles.space_id', '=', 'bot_members.space_id')
        .onRef('sso_roles.bot_id', '=', 'bot_members.bot_id')
        .onRef('sso_roles.user_id', '=', 'bot_members.user_id'),
    )
    .select(['bot_members.role', 'sso_roles.role as granted', 'sso_roles.manual_role'])
    .where('bot_members.space_id', '=', spaceId)
    .where('bot_members.bot_id', '=', botId)
    .where('bot_members.user_id', '=', userId)
    .executeTakeFirst();
  if (current !== undefined && current.granted !== null)
    await trx
      .updateTable('sso_roles')
      .set({ manual_role: higherRole(current.manual_role, role) })
      .where('space_id', '=', spaceId)
      .where('bot_id', '=', botId)
      .where('user_id', '=', userId)
      .execute();
  await trx
    .insertInto('bot_members')
    .values({ space_id: spaceId, bot_id: botId, user_id: userId, role, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['space_id', 'bot_id', 'user_id'])
        .doUpdateSet({ role: higherRole(current?.role ?? null, role) }),
    )
    .execute();
}

async function synchroniseAdministrator(
  trx: Database,
  userId: string,
  wanted: boolean,
): Promise<GrantChanges['admin']> {
  const user = await trx
    .selectFrom('users')
    .leftJoin('sso_administrators', 'sso_administrators.user_id', 'users.id')
    .select(['is_admin', 'sso_administrators.user_id as granted_to'])
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow();
  if (wanted && user.is_admin === 0) {
    await trx.updateTable('users').set({ is_admin: 1 }).where('id', '=', userId).execute();
    await trx.insertInto('sso_administrators').values({ user_id: userId }).execute();
    await recordAdministrator(trx, userId, true);
    return 'granted';
  }
  if (!wanted && user.granted_to !== null) {
    await trx.updateTable('users').set({ is_admin: 0 }).where('id', '=', userId).execute();
    await recordAdministrator(trx, userId, false);
    await keepAdministrator(trx, userId);
    return 'removed';
  }
  return null;
}

function recordAdministrator(trx: Database, userId: string, admin: boolean): Promise<void> {
  return recordAction(trx, {
    action: 'user.changed',
    spaceId: null,
    resourceId: userId,
    details: { changed: ['admin'], admin, by: 'group' },
  });
}

/** Returns the bots on which the groups grant a role now or granted a role at an earlier sign-in. */
async function grantsOf(
  trx: Database,
  userId: string,
  wanted: ReadonlyMap<number, Role>,
): Promise<readonly Grant[]> {
  const granted = await trx
    .selectFrom('sso_roles')
    .select(['space_id', 'bot_id', 'manual_role'])
    .where('user_id', '=', userId)
    .execute();
  const ids = [...new Set([...wanted.keys(), ...granted.map((row) => row.bot_id)])];
  if (ids.length === 0) return [];
  const bots = await trx
    .selectFrom('bots')
    .leftJoin('bot_members', (join) =>
      join
        .onRef('bot_members.space_id', '=', 'bots.space_id')
        .onRef('bot_members.bot_id', '=', 'bots.id')
        .on('bot_members.user_id', '=', userId),
    )
    .select(['bots.id', 'bots.space_id', 'bot_members.role'])
    .where('bots.id', 'in', ids)
    .execute();
  const manualRoles = new Map(granted.map((row) => [row.bot_id, row.manual_role]));
  return bots.map(({ id, space_id, role }) => {
    const manual = manualRoles.get(id);
    return {
      spaceId: space_id,
      botId: id,
      wanted: wanted.get(id) ?? null,
      manual: manual === undefined ? role : manual,
      current: role,
    };
  });
}

/** Returns the resulting role. */
async function applyGrant(
  trx: Database,
  userId: string,
  grant: Grant,
  now: number,
): Promise<Role | null> {
  const { spaceId, botId, wanted, manual, current } = grant;
  const role = wanted === null ? manual : higherRole(manual, wanted);
  if (role === null) {
    // The foreign key deletes the row of `sso_roles`.
    await trx
      .deleteFrom('bot_members')
      .where('space_id', '=', spaceId)
      .where('bot_id', '=', botId)
      .where('user_id', '=', userId)
      .execute();
    await recordAction(trx, {
      action: 'member.removed',
      spaceId,
      resourceId: userId,
      details: { botId, by: 'group' },
    });
    return null;
  }
  if (role !== current) {
    await trx
      .insertInto('bot_members')
      .values({ space_id: spaceId, bot_id: botId, user_id: userId, role, created_at: now })
      .onConflict((conflict) =>
        conflict.columns(['space_id', 'bot_id', 'user_id']).doUpdateSet({ role }),
      )
      .execute();
    await recordAction(trx, {
      action: 'member.changed',
      spaceId,
      resourceId: userId,
      details: { botId, role, by: 'group' },
    });
  }
  if (role === manual) {
    await keepRole(trx, grant, userId);
    return role;
  }
  await trx
    .insertInto('sso_roles')
    .values({ space_id: spaceId, bot_id: botId, user_id: userId, role, manual_role: manual })
    .onConflict((conflict) =>
      conflict
        .columns(['space_id', 'bot_id', 'user_id'])
        .doUpdateSet({ role, manual_role: manual }),
    )
    .execute();
  return role;
}

async function hasOwner(trx: Database, { spaceId, botId }: Grant): Promise<boolean> {
  const owner = await trx
    .selectFrom('bot_members')
    .select('user_id')
    .where('space_id', '=', spaceId)
    .where('bot_id', '=', botId)
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return owner !== undefined;
}
