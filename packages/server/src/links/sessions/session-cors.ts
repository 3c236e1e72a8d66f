import type { Operation } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import {
  type AllowedOrigins,
  answerHeaders,
  answerPreflights,
  EXPOSED,
  foreignOrigin,
  routePath,
  VARY,
} from '../../http/index.ts';
import { readCredential } from '../../identity/index.ts';
import type { WidgetSessions } from './widget-session.service.ts';

export interface SessionCorsDeps {
  readonly origins: AllowedOrigins;
  readonly sessions: Pick<WidgetSessions, 'spaceOf'>;
  /** The service's own address, whose pages need no permission. */
  readonly baseUrl: () => string;
}

/**
 * Lets pages on the origins that a space allows, and on opaque ones, use the routes of this part of the
 * application with a widget session. Refusals carry the headers too, as long as the token was once ours: a
 * page that cannot read why it was refused cannot tell its person that the link has ended.
 *
 * @param operations that those routes serve.
 */
export function answerAcrossOrigins(
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
    const headers = await answerHeaders(origins, origin, spaceId);
    reply.headers(headers === VARY ? VARY : { ...headers, ...EXPOSED });
  });
  const headers = ['authorization', 'content-type'];
  for (const [path, ofPath] of Map.groupBy(operations, routePath))
    answerPreflights(app, path, origins, { methods: ofPath.map(({ method }) => method), headers });
}
