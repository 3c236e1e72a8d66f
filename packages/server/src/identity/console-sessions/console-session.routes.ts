import {
  createConsoleSession,
  endConsoleSession,
  invalidRequest,
  signIn,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { limitByAddress, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { rejectOtherOrigin } from '../access/console-cookie.rules.ts';
import { clientOf } from '../sessions/session.rules.ts';
import type { Sessions } from '../sessions/session.service.ts';
import { type ConsoleSessions, readSignIn } from './console-session.service.ts';

export interface ConsoleSessionRoutesDeps {
  readonly access: Access;
  readonly sessions: Sessions;
  readonly consoleSessions: ConsoleSessions;
  readonly baseUrl: () => string;
  readonly signInsPerMinute: number;
}

export function registerConsoleSessionRoutes(
  app: FastifyInstance,
  deps: ConsoleSessionRoutesDeps,
): void {
  const { access, sessions, consoleSessions, baseUrl, signInsPerMinute } = deps;
  route(app, createConsoleSession, {
    // Otherwise a page of another origin could sign the user in to an account of its own.
    caller: (request) => rejectOtherOrigin(request, baseUrl()),
    // Shares the count of the other sign-in, because both verify passwords.
    ...limitByAddress(signIn, signInsPerMinute),
    handle: async ({ body, request }) => {
      const given = readSignIn(body);
      if (given === null)
        throw invalidRequest('access', [
          'body: must have `email` and `password`, `challenge` and `code`, or `token`',
        ]);
      const { cookie, session } = await consoleSessions.open(given, clientOf(request));
      return { status: 201, headers: { 'set-cookie': cookie }, body: session };
    },
  });
  route(app, endConsoleSession, {
    caller: (request) => {
      rejectOtherOrigin(request, baseUrl());
      return access.consoleUser(request);
    },
    handle: async ({ caller }) => {
      if (caller !== null) await sessions.signOut(caller);
      return { status: 204, headers: { 'set-cookie': consoleSessions.removal() } };
    },
  });
}
