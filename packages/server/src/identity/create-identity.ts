import { hkdfSync } from 'node:crypto';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Clock } from '../lib/scheduling/index.ts';
import { createSealer } from '../platform/secrets/index.ts';
import {
  type BudgetRepository,
  createBudgetRepository,
  createUsageRepository,
  type UsageRepository,
} from '../platform/usage/index.ts';
import type { Database } from '../storage/ports/index.ts';
import { createAccessService } from './access/access.service.ts';
import type { Access } from './access/access.ts';
import { createCredentialRepository } from './access/credential.repository.ts';
import { createCredentials } from './access/credential.service.ts';
import { createRightsRepository } from './access/rights.repository.ts';
import { createApiKeyRepository } from './api-keys/api-key.repository.ts';
import { registerApiKeyRoutes } from './api-keys/api-key.routes.ts';
import { type ApiKeys, createApiKeys } from './api-keys/api-key.service.ts';
import { createAuditRepository } from './audit/audit.repository.ts';
import { registerAuditRoutes } from './audit/audit.routes.ts';
import { type Audit, createAudit } from './audit/audit.service.ts';
import { createConsoleSessionRepository } from './console-sessions/console-session.repository.ts';
import { registerConsoleSessionRoutes } from './console-sessions/console-session.routes.ts';
import {
  type ConsoleSessions,
  createConsoleSessions,
} from './console-sessions/console-session.service.ts';
import { createInvitationRepository } from './invitations/invitation.repository.ts';
import { registerInvitationRoutes } from './invitations/invitation.routes.ts';
import { createInvitations, type Invitations } from './invitations/invitation.service.ts';
import { createInvitationRedemptionRepository } from './one-time-links/invitation-redemption.repository.ts';
import { createOneTimeLinkRepository } from './one-time-links/one-time-link.repository.ts';
import { registerOneTimeLinkRoutes } from './one-time-links/one-time-link.routes.ts';
import { createOneTimeLinks, type OneTimeLinks } from './one-time-links/one-time-link.service.ts';
import { createRedemptionRepository } from './one-time-links/redemption.repository.ts';
import { createRedemptions, type Redemptions } from './one-time-links/redemption.service.ts';
import { createPasswordRepository } from './passwords/password.repository.ts';
import { registerPasswordRoutes } from './passwords/password.routes.ts';
import { createPasswords, type Passwords } from './passwords/password.service.ts';
import { createCodeProof } from './second-factor/code-proof.service.ts';
import { createCodeSignInRepository } from './second-factor/code-sign-in.repository.ts';
import { type CodeSignIns, createCodeSignIns } from './second-factor/code-sign-in.service.ts';
import { createSecondFactorRepository } from './second-factor/second-factor.repository.ts';
import { registerSecondFactorRoutes } from './second-factor/second-factor.routes.ts';
import { createSecondFactors, type SecondFactors } from './second-factor/second-factor.service.ts';
import { lazyBetterAuth } from './sessions/better-auth.ts';
import { createFailureLimit } from './sessions/failure-limit.ts';
import { createSessionRepository } from './sessions/session.repository.ts';
import { registerSessionRoutes } from './sessions/session.routes.ts';
import { createSessions, type Sessions } from './sessions/session.service.ts';
import {
  createSingleSignOn,
  createUnlink,
  type SingleSignOnSettings,
} from './single-sign-on/create-single-sign-on.ts';
import { registerSingleSignOnRoutes } from './single-sign-on/single-sign-on.routes.ts';
import type { SingleSignOn } from './single-sign-on/single-sign-on.service.ts';
import { createFailureRepository } from './throttling/failure.repository.ts';
import { createThrottle, type Throttle } from './throttling/throttle.service.ts';
import { registerUsageRoutes } from './usage/usage.routes.ts';
import { createUserRepository } from './users/user.repository.ts';
import { registerUserRoutes } from './users/user.routes.ts';
import { createUsers, type Users } from './users/user.service.ts';

export interface IdentityDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** `true` if no other process uses the same store. */
  readonly isAlone: boolean;
  /** The installation's 32-byte secret. */
  readonly secret: Buffer;
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** Null if single sign-on is not configured. */
  readonly singleSignOn: SingleSignOnSettings | null;
  /** `false`: users cannot sign in with a password. */
  readonly passwordSignIn: boolean;
  /** Returns the URL that clients use, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Reports whether a JWT is an active widget session. Requests with such a JWT get a more specific error. */
  readonly verifyWidgetSession: (token: string) => Promise<boolean>;
}

/** The services of this module. Other modules use only `access` and `forget`. */
export interface IdentityModule {
  readonly access: Access;
  readonly sessions: Sessions;
  readonly consoleSessions: ConsoleSessions;
  readonly users: Users;
  readonly apiKeys: ApiKeys;
  /** Null if single sign-on is not configured. */
  readonly singleSignOn: SingleSignOn | null;
  readonly passwordSignIn: boolean;
  /** Unlinks a user from the OpenID provider. Throws 404 `access.user-not-found`. */
  readonly unlinkUser: (userId: string) => Promise<void>;
  readonly throttle: Throttle;
  readonly audit: Audit;
  readonly usage: UsageRepository;
  readonly budgets: BudgetRepository;
  readonly passwords: Passwords;
  readonly secondFactors: SecondFactors;
  readonly codeSignIns: CodeSignIns;
  readonly oneTimeLinks: OneTimeLinks;
  readonly redemptions: Redemptions;
  readonly invitations: Invitations;
  /**
   * Clears the credential cache. Call it after another module commits a change that ends keys or sessions, such as the
   * deletion of a space. Otherwise cached credentials stay valid for up to one second.
   */
  readonly forget: () => void;
}

export function createIdentity(deps: IdentityDeps): IdentityModule {
  const { db, clock, log, passwordSignIn } = deps;
  const sessionRepository = createSessionRepository(db);
  const auth = lazyBetterAuth({
    db,
    clock,
    secret: deriveKey(deps.secret, 'better-auth').toString('base64url'),
    maySignIn: sessionRepository.isEnabled,
    warn: (message) => log.warn({ from: 'better-auth' }, message),
  });
  const credentials = createCredentials({
    repository: createCredentialRepository(db),
    clock,
    isAlone: deps.isAlone,
    onError: (err) => log.error({ err }, 'could not record the last use of a credential'),
  });
  const { forget } = credentials;
  const throttle = createThrottle({
    repository: createFailureRepository(db),
    key: deriveKey(deps.secret, 'sign-in failures'),
    clock,
  });
  const users = createUsers({ repository: createUserRepository(db), auth, clock, forget });
  const mayRecordFailure = createFailureLimit(clock);
  const sessions = createSessions({
    repository: sessionRepository,
    auth,
    throttle,
    showUser: users.show,
    passwordSignIn,
    clock,
    mayRecordFailure,
    forget,
  });
  const passwords = createPasswords({
    repository: createPasswordRepository(db),
    auth,
    throttle,
    passwordSignIn,
    clock,
    forget,
  });
  const sealer = createSealer(deps.secret, 'second factors');
  const codeSignInRepository = createCodeSignInRepository(db);
  const proofOf = createCodeProof({ repository: codeSignInRepository, sealer, clock });
  const codeSignIns = createCodeSignIns({
    repository: codeSignInRepository,
    proofOf,
    showUser: users.show,
    clock,
    recordFailure: async (userId) => {
      if (mayRecordFailure()) await sessionRepository.recordFailure(userId);
    },
  });
  const singleSignOn =
    deps.singleSignOn === null
      ? null
      : createSingleSignOn({
          ...deps,
          settings: deps.singleSignOn,
          createSession: sessions.open,
          showUser: users.show,
          forget,
        });
  return {
    consoleSessions: createConsoleSessions({
      repository: createConsoleSessionRepository(db),
      sessions,
      codeSignIns,
      credentials,
      baseUrl: deps.baseUrl,
    }),
    access: createAccessService({
      credentials,
      rights: createRightsRepository(db),
      verifyWidgetSession: deps.verifyWidgetSession,
      baseUrl: deps.baseUrl,
    }),
    sessions,
    singleSignOn,
    passwordSignIn,
    unlinkUser: createUnlink({ db, clock, forget }),
    users,
    throttle,
    passwords,
    codeSignIns,
    secondFactors: createSecondFactors({
      repository: createSecondFactorRepository(db),
      passwords,
      proofOf,
      sealer,
      clock,
      baseUrl: deps.baseUrl,
      forget,
    }),
    oneTimeLinks: openOneTimeLinks(db, clock),
    redemptions: createRedemptions({
      repository: createRedemptionRepository(db),
      invitations: createInvitationRedemptionRepository(db),
      auth,
      throttle,
      passwordSignIn,
      clock,
      forget,
    }),
    invitations: createInvitations({ repository: createInvitationRepository(db), clock }),
    apiKeys: createApiKeys({ repository: createApiKeyRepository(db), clock, forget }),
    audit: createAudit(createAuditRepository(db)),
    usage: createUsageRepository(db),
    budgets: createBudgetRepository(db),
    forget,
  };
}

/** Creates the service of one-time links alone, for operator commands. */
export function openOneTimeLinks(db: Database, clock: Clock): OneTimeLinks {
  return createOneTimeLinks({ repository: createOneTimeLinkRepository(db), clock });
}

function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `gatehouse ${purpose}`, 32));
}

export interface IdentityRoutesDeps extends IdentityModule {
  readonly clock: Clock;
  readonly baseUrl: () => string;
  /** Maximum sign-ins per minute from one address. 0 disables the limit. */
  readonly signInsPerMinute: number;
}

export function registerIdentityRoutes(app: FastifyInstance, deps: IdentityRoutesDeps): void {
  registerSessionRoutes(app, deps);
  registerConsoleSessionRoutes(app, deps);
  registerSingleSignOnRoutes(app, deps);
  registerPasswordRoutes(app, deps);
  registerSecondFactorRoutes(app, deps);
  registerOneTimeLinkRoutes(app, deps);
  registerInvitationRoutes(app, deps);
  registerUserRoutes(app, deps);
  registerApiKeyRoutes(app, deps);
  registerAuditRoutes(app, deps);
  registerUsageRoutes(app, deps);
}
