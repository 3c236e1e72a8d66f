import { randomUUIDv7 } from 'node:crypto';
import { recordAction } from '../../platform/audit/index.ts';
import {
  type Database,
  inTransaction,
  type JoinedWrites,
  runWrites,
} from '../../storage/ports/index.ts';
import { endLinksOf } from '../one-time-links/one-time-link.repository.ts';
import { keepAdministrator } from '../single-sign-on/grants.repository.ts';
import { isLinked } from './linked-user.repository.ts';
import { hasPattern, listPeople, type PeopleListQuery } from './people-list.repository.ts';
import type { StoredUser } from './user.rules.ts';

const COLUMNS = ['id', 'email', 'name', 'is_admin', 'disabled_at', 'created_at'] as const;

export interface UserWrite {
  readonly name?: string;
  readonly admin?: boolean;
  readonly disabled?: boolean;
  readonly passwordHash?: string;
}

export type ChangeResult =
  | { readonly kind: 'changed'; readonly user: StoredUser }
  | { readonly kind: 'unknown' }
  /** The user signs in only through single sign-on. */
  | { readonly kind: 'no-password' }
  | { readonly kind: 'not-administrator' };

export interface UserRepository {
  /**
   * Creates a user and the account with the password. Throws `UniqueViolation` if the email address is taken.
   *
   * @param now Unix milliseconds.
   */
  insert(user: NewAccount, now: number, joined: JoinedWrites<StoredUser>): Promise<StoredUser>;
  any(): Promise<boolean>;
  find(userId: string): Promise<StoredUser | undefined>;
  list(query: PeopleListQuery): Promise<StoredUser[]>;
  /**
   * Changes a user if `by` is still an administrator in the same transaction. Ends the user's sessions and one-time links if
   * the change sets the password or `disabled`.
   *
   * @param now Unix milliseconds.
   */
  change(by: string, userId: string, write: UserWrite, now: number): Promise<ChangeResult>;
}

export function createUserRepository(db: Database): UserRepository {
  return {
    any: async () => (await db.selectFrom('users').select('id').limit(1).execute()).length > 0,
    insert: (account, now, joined) =>
      inTransaction(db, async (trx) => {
        await insertUser(trx, account, now);
        const user = await findUser(trx, account.id);
        if (user === undefined) throw new Error('the inserted user does not exist');
        await runWrites(trx, joined(user));
        return user;
      }),
    find: (userId) => findUser(db, userId),
    list: (query) =>
      listPeople(query, ({ after, limit, pattern }) => {
        let users = db.selectFrom('users').where('id', '>', after ?? '');
        if (pattern !== null) users = users.where(hasPattern(pattern));
        return users.select(COLUMNS).orderBy('id').limit(limit).execute();
      }),
    change: (by, userId, write, now) =>
      inTransaction(db, async (trx): Promise<ChangeResult> => {
        const actor = await findUser(trx, by);
        // Two administrators who demote each other concurrently must not leave the installation without an administrator.
        if (actor === undefined || actor.is_admin !== 1 || actor.disabled_at !== null)
          return { kind: 'not-administrator' };
        if ((await findUser(trx, userId)) === undefined) return { kind: 'unknown' };
        if (write.passwordHash !== undefined && (await isLinked(trx, userId)))
          return { kind: 'no-password' };
        await writeUser(trx, userId, write, now);
        await recordAction(trx, {
          action: 'user.changed',
          spaceId: null,
          resourceId: userId,
          details: changesOf(write),
        });
        const user = await findUser(trx, userId);
        return user === undefined ? { kind: 'unknown' } : { kind: 'changed', user };
      }),
  };
}

export function findUser(db: Database, userId: string): Promise<StoredUser | undefined> {
  return db.selectFrom('users').select(COLUMNS).where('id', '=', userId).executeTakeFirst();
}

/** Returns the changed members, without the name and the password. */
function changesOf({ name, admin, disabled, passwordHash }: UserWrite) {
  const changed = Object.entries({ name, admin, disabled, password: passwordHash });
  return {
    changed: changed.flatMap(([member, value]) => (value === undefined ? [] : member)),
    ...(admin === undefined ? {} : { admin }),
    ...(disabled === undefined ? {} : { disabled }),
  };
}

async function writeUser(
  trx: Database,
  userId: string,
  write: UserWrite,
  now: number,
): Promise<void> {
  const { name, admin, disabled, passwordHash } = write;
  const updated_at = new Date(now).toISOString();
  await trx
    .updateTable('users')
    .set({
      updated_at,
      ...(name === undefined ? {} : { name }),
      ...(admin === undefined ? {} : { is_admin: admin ? 1 : 0 }),
      ...(disabled === undefined ? {} : { disabled_at: disabled ? now : null }),
    })
    .where('id', '=', userId)
    .execute();
  if (admin !== undefined) await keepAdministrator(trx, userId);
  if (passwordHash !== undefined) await setPassword(trx, userId, passwordHash, now);
  if (passwordHash === undefined && disabled === undefined) return;
  await endLinksOf(trx, userId, now);
  // Enabling also ends sessions, because a sign-in during the disabling may have created a session.
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
  await trx.deleteFrom('sso_codes').where('user_id', '=', userId).execute();
  await trx.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute();
}

/** A user with a password. */
export interface NewAccount {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly admin: boolean;
  readonly passwordHash: string;
}

/** @param now Unix milliseconds. */
export async function insertUser(
  trx: Database,
  { id, email, name, admin, passwordHash }: NewAccount,
  now: number,
): Promise<void> {
  const time = new Date(now).toISOString();
  await trx
    .insertInto('users')
    .values({
      id,
      email,
      name,
      email_verified: 0,
      is_admin: admin ? 1 : 0,
      created_at: time,
      updated_at: time,
    })
    .execute();
  await setPassword(trx, id, passwordHash, now);
  await recordAction(trx, {
    action: 'user.created',
    spaceId: null,
    resourceId: id,
    details: { admin },
  });
}

/** Sets the password of a user who may have none. */
export async function setPassword(
  trx: Database,
  userId: string,
  passwordHash: string,
  now: number,
): Promise<void> {
  const time = new Date(now).toISOString();
  const { numUpdatedRows } = await trx
    .updateTable('accounts')
    .set({ password: passwordHash, updated_at: time })
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return;
  await trx
    .insertInto('accounts')
    .values({
      id: randomUUIDv7(),
      account_id: userId,
      provider_id: 'credential',
      user_id: userId,
      password: passwordHash,
      created_at: time,
      updated_at: time,
    })
    .execute();
}
