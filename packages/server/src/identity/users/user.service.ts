import { randomUUIDv7 } from 'node:crypto';
import type { NewUser, User, UserChange } from '@gatehouse/contract';
import { type Page, toPage } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { UniqueViolation } from '../../lib/threads/index.ts';
import { type JoinedWrites, NO_WRITES } from '../../storage/ports/index.ts';
import { forbidden } from '../access/access.errors.ts';
import type { UserCaller } from '../access/access.ts';
import type { BetterAuth } from '../sessions/better-auth.ts';
import type { PeopleListQuery } from './people-list.repository.ts';
import { emailTaken, noPassword, noSuchUser, ownAccount } from './user.errors.ts';
import type { UserRepository } from './user.repository.ts';
import { foldEmail, formatUser } from './user.rules.ts';

export interface UserDeps {
  readonly repository: UserRepository;
  readonly auth: () => Promise<BetterAuth>;
  readonly clock: Clock;
  /** Clears the credential cache after a user was changed. */
  readonly forget: () => void;
}

export interface Users {
  /** Throws 409 `access.email-taken`. */
  create(user: NewUser, joined: JoinedWrites<User>): Promise<User>;
  list(query: PeopleListQuery): Promise<Page<User>>;
  /** Throws 404 `access.user-not-found`. */
  show(userId: string): Promise<User>;
  /**
   * Changes a user. A new password, disabling and enabling end the user's sessions immediately. Throws 404
   * `access.user-not-found`, 409 `access.own-account` if administrators disable or demote themselves, or 409
   * `access.no-password` if a new password is given for a user without a password.
   */
  change(by: UserCaller, userId: string, change: UserChange): Promise<User>;
  /** Creates the first administrator if no user exists. */
  ensureAdministrator(given: AdministratorSettings): Promise<void>;
}

export interface AdministratorSettings {
  readonly email: string;
  readonly password: string;
}

export function createUsers({ repository, auth, clock, forget }: UserDeps): Users {
  async function insert(
    { email, name, password }: NewUser,
    admin: boolean,
    joined: JoinedWrites<User>,
  ): Promise<User> {
    const passwordHash = await hashOf(auth, password);
    const row = { id: randomUUIDv7(), email: foldEmail(email), name, admin, passwordHash };
    return formatUser(
      await repository.insert(row, clock(), (stored) => joined(formatUser(stored))),
    );
  }

  async function show(userId: string): Promise<User> {
    const user = await repository.find(userId.toLowerCase());
    if (user === undefined) throw noSuchUser();
    return formatUser(user);
  }

  return {
    show,
    create: async (user, joined) => {
      try {
        return await insert(user, false, joined);
      } catch (error) {
        if (error instanceof UniqueViolation) throw emailTaken();
        throw error;
      }
    },
    list: async (query) => {
      const { limit } = query;
      const rows = await repository.list({ ...query, limit: limit + 1 });
      return toPage(rows, limit, (row) => row.id, formatUser);
    },
    change: async (by, givenId, change) => {
      const userId = givenId.toLowerCase();
      const { password, ...write } = change;
      if (userId === by.userId && (change.admin === false || change.disabled === true))
        throw ownAccount();
      const hash = password === undefined ? {} : { passwordHash: await hashOf(auth, password) };
      const result = await repository.change(by.userId, userId, { ...write, ...hash }, clock());
      // The cache of callers stores whether a user is an administrator.
      forget();
      if (result.kind === 'unknown') throw noSuchUser();
      if (result.kind === 'no-password') throw noPassword();
      if (result.kind === 'not-administrator')
        throw forbidden('an administrator of the installation');
      return formatUser(result.user);
    },
    ensureAdministrator: async ({ email, password }) => {
      if (await repository.any()) return;
      try {
        await insert({ email, name: 'Administrator', password }, true, NO_WRITES);
      } catch (error) {
        // Another replica may have created the administrator.
        if (!(await repository.any())) throw error;
      }
    },
  };
}

async function hashOf(auth: () => Promise<BetterAuth>, password: string): Promise<string> {
  const { hashPassword } = await auth();
  return hashPassword(password);
}
