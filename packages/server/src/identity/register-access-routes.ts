import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/scheduling/index.ts';
import { registerApiKeyRoutes } from './api-keys/api-key.routes.ts';
import type { AccessRoom } from './create-access.ts';
import { registerSessionRoutes } from './sessions/session.routes.ts';
import { registerUserRoutes } from './users/user.routes.ts';

export interface AccessRoutesDeps extends AccessRoom {
  readonly clock: Clock;
  /** Sign-ins a minute from one address; 0: no limit. */
  readonly signInsPerMinute: number;
}

/** Sign-in, sessions, users and API keys. */
export function registerAccessRoutes(app: FastifyInstance, deps: AccessRoutesDeps): void {
  registerSessionRoutes(app, deps);
  registerUserRoutes(app, deps);
  registerApiKeyRoutes(app, deps);
}
