import { showSession, signIn, signOut } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, limitByAddress, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import type { Sessions } from './session.service.ts';

export interface SessionRoutesDeps {
  readonly access: Access;
  readonly sessions: Sessions;
  readonly signInsPerMinute: number;
}

export function registerSessionRoutes(app: FastifyInstance, deps: SessionRoutesDeps): void {
  const { access, sessions, signInsPerMinute } = deps;
  route(app, signIn, {
    caller: anyone,
    ...limitByAddress(signIn, signInsPerMinute),
    handle: async ({ body }) => ({
      status: 200,
      body: await sessions.signIn(body.email, body.password),
    }),
  });
  route(app, signOut, {
    caller: access.user,
    handle: async ({ caller }) => {
      await sessions.signOut(caller);
      return { status: 204 };
    },
  });
  route(app, showSession, {
    caller: access.user,
    handle: async ({ caller }) => ({ status: 200, body: await sessions.show(caller) }),
  });
}
