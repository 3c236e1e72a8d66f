import type { User } from '@gatehouse/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../lib/scheduling/index.ts';
import { createSealer, type Secret } from '../../platform/secrets/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import type { Sessions } from '../sessions/session.service.ts';
import { noSuchUser } from '../users/user.errors.ts';
import { createAttemptRepository } from './attempt.repository.ts';
import { OpenIdProvider } from './open-id-provider.ts';
import { createPersonRepository } from './person.repository.ts';
import type { SignInPolicy } from './person.rules.ts';
import { createSettingsRepository } from './settings.repository.ts';
import { createSingleSignOnService, type SingleSignOn } from './single-sign-on.service.ts';

export interface SingleSignOnSettings extends SignInPolicy {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret<string>;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly groupsClaim: string;
}

export interface SingleSignOnDeps {
  readonly db: Database;
  readonly settings: SingleSignOnSettings;
  /** The installation's 32-byte secret. */
  readonly secret: Buffer;
  readonly clock: Clock;
  readonly baseUrl: () => string;
  readonly createSession: Sessions['open'];
  readonly showUser: (userId: string) => Promise<User>;
  readonly forget: () => void;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

export function createSingleSignOn(deps: SingleSignOnDeps): SingleSignOn {
  const { db, settings, clock, log } = deps;
  const { allowedGroups, adminGroups, groupRoles } = settings;
  const provider = new OpenIdProvider({
    settings: {
      ...settings,
      needsGroups: allowedGroups !== null || adminGroups.length > 0 || groupRoles.length > 0,
    },
    clock,
    warn: (reason) => log.warn(reason, 'single sign-on failed'),
  });
  return createSingleSignOnService({
    ...deps,
    issuer: settings.issuer,
    policy: settings,
    provider,
    people: createPersonRepository(db),
    attempts: createAttemptRepository(db),
    sealer: createSealer(deps.secret, 'single sign-on'),
    warn: (details, message) => log.warn(details, message),
  });
}

/**
 * Returns a function that unlinks a user from all providers, even if single sign-on is not configured any more. It throws 404
 * `access.user-not-found`.
 */
export function createUnlink({
  db,
  clock,
  forget,
}: Pick<SingleSignOnDeps, 'db' | 'clock' | 'forget'>): (userId: string) => Promise<void> {
  const people = createPersonRepository(db);
  return async (userId) => {
    const isKnown = await people.unlink(userId.toLowerCase(), clock());
    forget();
    if (!isKnown) throw noSuchUser();
  };
}

/** Logs a warning for each setting that has no effect or leaves the installation without an administrator. */
export async function checkSingleSignOn({
  db,
  settings,
  log,
}: Pick<SingleSignOnDeps, 'db' | 'settings' | 'log'>): Promise<void> {
  const repository = createSettingsRepository(db);
  const bots = await repository.unknownBots(settings.groupRoles);
  if (bots.length > 0)
    log.warn(
      { bots },
      'GATEHOUSE_OIDC_GROUP_ROLES: some bots do not exist; their roles are ignored',
    );
  if (settings.adminGroups.length === 0 && !(await repository.hasAdministrator()))
    log.warn('no administrator exists: set GATEHOUSE_OIDC_ADMIN_GROUPS to a group of the provider');
}
