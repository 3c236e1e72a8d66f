import { randomUUIDv7 } from 'node:crypto';
import type { BetterAuthOptions } from 'better-auth/types';
import { loadOnce } from '../../lib/caching/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { hashSessionTokens } from './hashed-session-tokens.ts';
import { SESSION_SECONDS } from './session.rules.ts';

export interface BetterAuthDeps {
  readonly db: Database;
  /** Required by better-auth to sign cookies, which this service does not send. */
  readonly secret: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly maySignIn: (userId: string) => Promise<boolean>;
  /** Receives better-auth's log messages, which contain no values. */
  readonly warn: (message: string) => void;
}

/** The part of better-auth that this service uses: passwords, and sign-in by email. */
export type BetterAuth = Awaited<ReturnType<typeof load>>;

/**
 * Returns a function that loads better-auth on first use. Loading takes 250 ms and 50 MB, and only signing in and creating
 * users need it.
 */
export function lazyBetterAuth(deps: BetterAuthDeps): () => Promise<BetterAuth> {
  return loadOnce(() => load(deps));
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
  const { password } = await auth.$context;
  return {
    signIn: (email: string, password: string) =>
      auth.api.signInEmail({ body: { email, password } }),
    hashPassword: password.hash,
    verifyPassword: (hash: string, given: string) => password.verify({ hash, password: given }),
  };
}

function options(deps: BetterAuthDeps) {
  // Uses the injected clock instead of the clock of better-auth.
  const creationTimes = (): { createdAt: Date; updatedAt: Date } => {
    const now = new Date(deps.clock());
    return { createdAt: now, updatedAt: now };
  };
  const times = { createdAt: 'created_at', updatedAt: 'updated_at' };
  return {
    secret: deps.secret,
    // better-auth requires this option but does not use it, because it serves no routes here.
    baseURL: 'http://localhost',
    telemetry: { enabled: false },
    // The level is `error`, because better-auth logs every failed sign-in as a warning.
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
      user: { create: { before: async () => ({ data: creationTimes() }) } },
      account: { create: { before: async () => ({ data: creationTimes() }) } },
      session: {
        create: {
          before: async (session) => {
            if (!(await deps.maySignIn(session.userId))) return false;
            const expiresAt = new Date(deps.clock() + SESSION_SECONDS * 1000);
            return { data: { ...creationTimes(), expiresAt } };
          },
        },
      },
    },
  } as const satisfies BetterAuthOptions;
}
