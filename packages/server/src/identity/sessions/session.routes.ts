import {
  endOtherSessions,
  endSession,
  endUserSessions,
  listSessions,
  listUserSessions,
  showSession,
  signIn,
  signOut,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, limitByAddress, readCursor, readLimit, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { clientOf } from './session.rules.ts';
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
    handle: async ({ body, request }) => ({
      status: 200,
      body: await sessions.signIn(body.email, body.password, clientOf(request)),
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
  route(app, listSessions, {
    caller: access.user,
    handle: async ({ caller, query }) => ({
      status: 200,
      body: await sessions.list(caller, readCursor(query.after), readLimit(query.limit)),
    }),
  });
  route(app, endSession, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      await sessions.end(caller, params.sessionId);
      return { status: 204 };
    },
  });
  route(app, endOtherSessions, {
    caller: access.user,
    handle: async ({ caller }) => {
      await sessions.endOthers(caller);
      return { status: 204 };
    },
  });
  route(app, listUserSessions, {
    caller: access.administrator,
    handle: async ({ caller, params, query }) => {
      const [after, limit] = [readCursor(query.after), readLimit(query.limit)];
      return { status: 200, body: await sessions.listOf(caller, params.userId, after, limit) };
    },
  });
  route(app, endUserSessions, {
    caller: access.administrator,
    handle: async ({ params }) => {
      await sessions.endAllOf(params.userId);
      return { status: 204 };
    },
  });
}
