import { randomUUIDv7 } from 'node:crypto';
import type { BetterAuthOptions } from 'better-auth/types';
import type { Database } from '../../storage/ports/index.ts';
import { hashSessionTokens } from './hashed-session-tokens.ts';

/** How long a session lives, seconds; it is not prolonged by use. */
export const SESSION_SECONDS = 7 * 24 * 3600;

export interface BetterAuthDeps {
  readonly db: Database;
  /** Signs cookies that nobody is given; better-auth asks for one. */
  readonly secret: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Asked before a session is made. */
  readonly maySignIn: (userId: string) => Promise<boolean>;
  /** What better-auth has to say; its messages carry no values. */
  readonly warn: (message: string) => void;
}

export interface UserWithPassword {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly admin: boolean;
  /** From `hashPassword`. */
  readonly passwordHash: string;
}

/** The part of better-auth that we serve: passwords, and sessions by e-mail. */
export type BetterAuth = Awaited<ReturnType<typeof load>>;

/**
 * better-auth, loaded at its first use: its 250 ms and 50 MB would otherwise be paid at every start,
 * and nothing needs it but signing in and making users.
 */
export function lazyBetterAuth(deps: BetterAuthDeps): () => Promise<BetterAuth> {
  let loaded: Promise<BetterAuth> | undefined;
  return () => {
    loaded ??= load(deps);
    return loaded;
  };
}

async function load(deps: BetterAuthDeps) {
  const [{ betterAuth }, { getAdapter }] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/db/adapter'),
  ]);
  const settings = options(deps);
  const database = { db: deps.db, type: 'sqlite', transaction: true } as const;
  const adapter = hashSessionTokens(await getAdapter({ ...settings, database }));
  const auth = betterAuth({ ...settings, database: () => adapter });
  const { internalAdapter, password } = await auth.$context;
  return {
    signIn: (email: string, password: string) =>
      auth.api.signInEmail({ body: { email, password } }),
    hashPassword: password.hash,
    /** Makes a user with the account that holds the password, both or none. */
    createUser: async ({ passwordHash, ...user }: UserWithPassword): Promise<void> => {
      const account = { accountId: user.id, providerId: 'credential', password: passwordHash };
      const unverified = { ...user, emailVerified: false };
      // Its name says OAuth, but any account will do, and it is the one call with a transaction.
      await internalAdapter.createOAuthUser(unverified, account);
    },
  };
}

function options(deps: BetterAuthDeps) {
  // By our clock, not by better-auth's.
  const made = (): { createdAt: Date; updatedAt: Date } => {
    const now = new Date(deps.clock());
    return { createdAt: now, updatedAt: now };
  };
  const times = { createdAt: 'created_at', updatedAt: 'updated_at' };
  return {
    secret: deps.secret,
    // Nothing of it is served under a URL of its own.
    baseURL: 'http://localhost',
    telemetry: { enabled: false },
    // Each failed sign-in would be a warning; the line of its request says enough.
    logger: { level: 'error', log: (_level, message) => deps.warn(message) },
    advanced: { database: { generateId: () => randomUUIDv7() } },
    emailAndPassword: { enabled: true, disableSignUp: true },
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', ...times },
      additionalFields: {
        admin: { type: 'boolean', fieldName: 'is_admin', input: false, defaultValue: false },
      },
    },
    session: {
      modelName: 'sessions',
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        ...times,
      },
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
    },
    account: {
      modelName: 'accounts',
      fields: {
        accountId: 'account_id',
        providerId: 'provider_id',
        userId: 'user_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        ...times,
      },
    },
    verification: {
      modelName: 'verifications',
      fields: { expiresAt: 'expires_at', ...times },
    },
    databaseHooks: {
      user: { create: { before: async () => ({ data: made() }) } },
      account: { create: { before: async () => ({ data: made() }) } },
      session: {
        create: {
          before: async (session) => {
            if (!(await deps.maySignIn(session.userId))) return false;
            const expiresAt = new Date(deps.clock() + SESSION_SECONDS * 1000);
            return { data: { ...made(), expiresAt } };
          },
        },
      },
    },
  } as const satisfies BetterAuthOptions;
}
