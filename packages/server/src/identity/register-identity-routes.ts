import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/scheduling/index.ts';
import { registerApiKeyRoutes } from './api-keys/api-key.routes.ts';
import type { IdentityModule } from './create-identity.ts';
import { registerSessionRoutes } from './sessions/session.routes.ts';
import { registerUserRoutes } from './users/user.routes.ts';

export interface IdentityRoutesDeps extends IdentityModule {
  readonly clock: Clock;
  /** Sign-ins a minute from one address; 0: no limit. */
  readonly signInsPerMinute: number;
}

/** Sign-in, sessions, users and API keys. */
export function registerIdentityRoutes(app: FastifyInstance, deps: IdentityRoutesDeps): void {
  registerSessionRoutes(app, deps);
  registerUserRoutes(app, deps);
  registerApiKeyRoutes(app, deps);
}
