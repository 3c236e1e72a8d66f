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
import { anyone, limitByAddress, readCursor, readLimit, routesFor } from '../../http/index.ts';
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
  const forAnyone = routesFor(app, anyone);
  const forUsers = routesFor(app, access.user);
  const forAdministrators = routesFor(app, access.administrator);
  forAnyone(
    signIn,
    ({ body, request }) => sessions.signIn(body.email, body.password, clientOf(request)),
    limitByAddress(signIn, signInsPerMinute),
  );
  forUsers(signOut, ({ caller }) => sessions.signOut(caller));
  forUsers(showSession, ({ caller }) => sessions.show(caller));
  forUsers(listSessions, ({ caller, query }) =>
    sessions.list(caller, readCursor(query.after), readLimit(query.limit)),
  );
  forUsers(endSession, ({ caller, params }) => sessions.end(caller, params.sessionId));
  forUsers(endOtherSessions, ({ caller }) => sessions.endOthers(caller));
  forAdministrators(listUserSessions, ({ caller, params, query }) =>
    sessions.listOf(caller, params.userId, readCursor(query.after), readLimit(query.limit)),
  );
  forAdministrators(endUserSessions, ({ params }) => sessions.endAllOf(params.userId));
}
