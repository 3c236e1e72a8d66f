import { randomUUIDv7 } from 'node:crypto';
import { recordAction } from '../../platform/audit/index.ts';
import { type Database, inTransaction } from '../../storage/ports/index.ts';
import { endLinksOf } from '../one-time-links/one-time-link.repository.ts';
import { deleteSecondFactor } from '../second-factor/second-factor.repository.ts';
import { addCode, type NewCode } from './attempt.repository.ts';
import { type GrantChanges, synchroniseGrants } from './grants.repository.ts';
import type { Person } from './person.rules.ts';

const PROVIDER_PREFIX = 'oidc:';
/** The provider ID of a password in `accounts`. */
const PASSWORD = 'credential';
const NO_RIGHTS: Pick<Person, 'isAdmin' | 'roles'> = { isAdmin: false, roles: new Map() };

export type SignedInPerson =
  | {
      readonly kind: 'signed-in';
      readonly userId: string;
      readonly change: 'none' | 'created' | 'linked';
      readonly grants: GrantChanges;
    }
  | { readonly kind: 'disabled' }
  /** The user with this address is linked to another identity of the same provider. */
  | { readonly kind: 'address-linked' };

export interface PersonRepository {
  /**
   * Finds, links or creates the user of a person, synchronises the rights that the provider grants, and adds a code for a session.
   *
   * @param now Unix milliseconds.
   */
  signIn(issuer: string, person: Person, code: NewCode, now: number): Promise<SignedInPerson>;
  /** Removes the rights that the provider granted to a person. Returns `null` if the person has never signed in. */
  withdrawGrants(
    issuer: string,
    subject: string,
    now: number,
  ): Promise<{ readonly userId: string; readonly grants: GrantChanges } | null>;
  /** Removes the links to all providers, the rights that they granted, and the sessions. Returns `false` for an unknown user. */
  unlink(userId: string, now: number): Promise<boolean>;
}

export function createPersonRepository(db: Database): PersonRepository {
  return {
    signIn: (issuer, person, code, now) =>
      inTransaction(db, async (trx): Promise<SignedInPerson> => {
        const found = await findOrCreate(trx, { issuer, person, at: new Date(now).toISOString() });
        if (found.kind !== 'user') return found;
        const { userId, change } = found;
        const grants = await synchroniseGrants(trx, userId, person, now);
        await addCode(trx, code, userId);
        return { kind: 'signed-in', userId, change, grants };
      }),
    withdrawGrants: (issuer, subject, now) =>
      inTransaction(db, async (trx) => {
        const known = await linkedUser(trx, issuer, subject);
        if (known === undefined) return null;
        return { userId: known.id, grants: await synchroniseGrants(trx, known.id, NO_RIGHTS, now) };
      }),
    unlink: (userId, now) =>
      inTransaction(db, async (trx) => {
        const user = trx.selectFrom('users').select('id').where('id', '=', userId);
        if ((await user.executeTakeFirst()) === undefined) return false;
        const removed = await trx
          .deleteFrom('accounts')
          .where('user_id', '=', userId)
          .where('provider_id', 'like', `${PROVIDER_PREFIX}%`)
          .returning('id')
          .execute();
        if (removed.length === 0) return true;
        await synchroniseGrants(trx, userId, NO_RIGHTS, now);
        await recordAction(trx, { action: 'user.unlinked', spaceId: null, resourceId: userId });
        await endSessions(trx, userId);
        await endLinksOf(trx, userId, now);
        return true;
      }),
  };
}

interface SignIn {
  readonly issuer: string;
  readonly person: Person;
  /** ISO 8601. */
  readonly at: string;
}

type Found =
  | {
      readonly kind: 'user';
      readonly userId: string;
      readonly change: 'none' | 'created' | 'linked';
    }
  | Exclude<SignedInPerson, { kind: 'signed-in' }>;

/** A user is identified by issuer and subject. The address only selects the user at the first sign-in. */
async function findOrCreate(trx: Database, signIn: SignIn): Promise<Found> {
  const known = await linkedUser(trx, signIn.issuer, signIn.person.subject);
  if (known !== undefined) {
    if (known.disabled_at !== null) return { kind: 'disabled' };
    await updateEmail(trx, known, signIn);
    return { kind: 'user', userId: known.id, change: 'none' };
  }
  const existing = await userByEmail(trx, signIn.person.email);
  return existing === undefined ? create(trx, signIn) : link(trx, existing, signIn);
}

function linkedUser(trx: Database, issuer: string, subject: string) {
  return trx
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select(['users.id', 'users.email', 'users.disabled_at'])
    .where('provider_id', '=', providerId({ issuer }))
    .where('account_id', '=', subject)
    .executeTakeFirst();
}

function providerId({ issuer }: Pick<SignIn, 'issuer'>): string {
  return `${PROVIDER_PREFIX}${issuer}`;
}

function userByEmail(trx: Database, email: string) {
  return trx
    .selectFrom('users')
    .select(['id', 'disabled_at'])
    .where('email', '=', email)
    .executeTakeFirst();
}

/** An address that belongs to another user is not taken over. */
async function updateEmail(
  trx: Database,
  user: { id: string; email: string },
  { person: { email }, at }: SignIn,
): Promise<void> {
  if (user.email === email || (await userByEmail(trx, email)) !== undefined) return;
  await trx
    .updateTable('users')
    .set({ email, email_verified: 1, updated_at: at })
    .where('id', '=', user.id)
    .execute();
}

async function create(trx: Database, signIn: SignIn): Promise<Found> {
  const userId = randomUUIDv7();
  const { person, at } = signIn;
  await trx
    .insertInto('users')
    .values({
      id: userId,
      email: person.email,
      name: person.name,
      email_verified: 1,
      created_at: at,
      updated_at: at,
    })
    .execute();
  await insertAccount(trx, userId, signIn);
  await recordAction(trx, { action: 'user.created', spaceId: null, resourceId: userId });
  return { kind: 'user', userId, change: 'created' };
}

/**
 * Links an existing user. The password and the sessions may belong to somebody else who registered this address, so the password
 * and the second factor are deleted, and the sessions and one-time links end.
 */
async function link(
  trx: Database,
  user: { id: string; disabled_at: number | null },
  signIn: SignIn,
): Promise<Found> {
  const { id: userId } = user;
  if (user.disabled_at !== null) return { kind: 'disabled' };
  const other = await trx
    .selectFrom('accounts')
    .select('id')
    .where('user_id', '=', userId)
    .where('provider_id', '=', providerId(signIn))
    .executeTakeFirst();
  if (other !== undefined) return { kind: 'address-linked' };
  await trx
    .deleteFrom('accounts')
    .where('user_id', '=', userId)
    .where('provider_id', '=', PASSWORD)
    .execute();
  await deleteSecondFactor(trx, userId);
  await endSessions(trx, userId);
  await endLinksOf(trx, userId, Date.parse(signIn.at));
  await trx
    .updateTable('users')
    .set({ email_verified: 1, updated_at: signIn.at })
    .where('id', '=', userId)
    .execute();
  await insertAccount(trx, userId, signIn);
  await recordAction(trx, { action: 'user.linked', spaceId: null, resourceId: userId });
  return { kind: 'user', userId, change: 'linked' };
}

async function endSessions(trx: Database, userId: string): Promise<void> {
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
  await trx.deleteFrom('sso_codes').where('user_id', '=', userId).execute();
}

async function insertAccount(trx: Database, userId: string, signIn: SignIn): Promise<void> {
  const { person, at } = signIn;
  await trx
    .insertInto('accounts')
    .values({
      id: randomUUIDv7(),
      account_id: person.subject,
      provider_id: providerId(signIn),
      user_id: userId,
      created_at: at,
      updated_at: at,
    })
    .execute();
}
