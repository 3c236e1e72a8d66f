import { createIdempotency, type Idempotency } from '../http/idempotency/index.ts';
import {
  createIdentity,
  type IdentityModule,
  type SingleSignOnSettings,
} from '../identity/index.ts';
import {
  createKeyedLinks,
  createSigner,
  createWidgetSessions,
  type WidgetSessions,
} from '../links/index.ts';
import type { Settings } from '../platform/settings/index.ts';
import type { Infrastructure } from './infrastructure.ts';

export interface IdentityServices {
  readonly identity: IdentityModule;
  readonly sessions: WidgetSessions;
  /** `null` if single sign-on is not configured. */
  readonly singleSignOn: SingleSignOnSettings | null;
}

/** @param baseUrl returns the URL that clients use, without a trailing slash. */
export function createIdentityServices(
  { settings, store, signingKeys, clock, secret, log, opened }: Infrastructure,
  baseUrl: () => string,
): IdentityServices {
  const { db } = store;
  const sessions = createWidgetSessions({
    signer: opened.use(createSigner()),
    signingKeys,
    db,
    clock,
    issuer: baseUrl,
    requiredIssuer: settings.baseUrl,
  });
  const singleSignOn = singleSignOnSettings(settings);
  const identity = createIdentity({
    db,
    clock,
    isAlone: store.isExclusive,
    secret,
    log,
    verifyWidgetSession: sessions.isValid,
    singleSignOn,
    passwordSignIn: settings.passwordSignIn === 'on',
    baseUrl,
  });
  return { identity, sessions, singleSignOn };
}

/** Returns the settings of single sign-on, or `null` if single sign-on is not configured. */
function singleSignOnSettings(settings: Settings): SingleSignOnSettings | null {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = settings;
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    scopes: settings.oidcScopes,
    groupsClaim: settings.oidcGroupsClaim,
    allowedDomains: settings.oidcAllowedDomains,
    allowedGroups: settings.oidcAllowedGroups,
    adminGroups: settings.oidcAdminGroups ?? [],
    groupRoles: settings.oidcGroupRoles ?? [],
  };
}

/** Creates the service that stores responses for repeated requests with an `Idempotency-Key`. */
export function createIdempotencyService({
  settings,
  store,
  clock,
  secret,
  log,
  opened,
}: Infrastructure): Idempotency {
  return opened.use(
    createIdempotency({
      db: store.db,
      resources: createKeyedLinks(store.db),
      semaphores: store.shared.semaphores,
      leases: store.leases,
      clock,
      secret,
      maxPerCaller: settings.idempotencyKeys,
      isAlone: store.isExclusive,
      onError: (err) =>
        log.error({ err }, 'removal of idempotent responses failed; it will be retried'),
    }),
  );
}
