import type { Operation } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import {
  type AllowedOrigins,
  corsHeaders,
  EXPOSED,
  foreignOrigin,
  respondToPreflights,
  routePath,
  VARY,
} from '../../http/index.ts';
import { readCredential } from '../../identity/index.ts';
import type { WidgetSessions } from './widget-session.service.ts';

export interface SessionCorsDeps {
  readonly origins: AllowedOrigins;
  readonly sessions: Pick<WidgetSessions, 'spaceOf'>;
  /** Returns the service's own base URL. Pages on its origin need no CORS headers. */
  readonly baseUrl: () => string;
}

/**
 * Adds CORS to the routes of `app` for requests with a widget session. Allows the origins of the session's space and opaque
 * origins. Errors also have the CORS headers if this service issued the token, so a page can learn that the link has ended.
 *
 * @param operations The operations that need a preflight response.
 */
export function respondAcrossOrigins(
  app: FastifyInstance,
  { origins, sessions, baseUrl }: SessionCorsDeps,
  operations: readonly Operation[],
): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(VARY);
    const origin = foreignOrigin(request, baseUrl());
    const credential = readCredential(request.headers);
    if (origin === undefined || credential.kind !== 'jwt') return;
    const spaceId = await sessions.spaceOf(credential.text);
    if (spaceId === null) return;
    const headers = await corsHeaders(origins, origin, spaceId);
    reply.headers(headers === VARY ? VARY : { ...headers, ...EXPOSED });
  });
  const headers = ['authorization', 'content-type'];
  for (const [path, ofPath] of Map.groupBy(operations, routePath))
    respondToPreflights(app, path, origins, {
      methods: ofPath.map(({ method }) => method),
      headers,
    });
}
