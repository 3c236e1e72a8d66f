import type { FastifyInstance } from 'fastify';
import { readCredential } from '../access/index.ts';
import {
  type AllowedOrigins,
  answerHeaders,
  answerPreflights,
  foreignOrigin,
  VARY,
} from '../http/index.ts';
import type { WidgetSessions } from '../links/index.ts';

export interface ChatCorsDeps {
  readonly origins: AllowedOrigins;
  readonly sessions: Pick<WidgetSessions, 'spaceOf'>;
  /** The service's own address, whose pages need no permission. */
  readonly baseUrl: () => string;
}

/** What scripts on an allowed page may read of an answer besides its body. */
const EXPOSED = { 'access-control-expose-headers': 'retry-after, x-request-id' };

const METHODS = {
  '/chat': ['POST'],
  '/chat/conversations': ['GET'],
  '/chat/conversations/:conversationId': ['GET', 'DELETE'],
  '/chat/messages/:messageId/feedback': ['POST'],
} as const;

/**
 * Lets pages on the origins that a space allows use its chat, for the routes of this part of the
 * application. Refusals carry the headers too, as long as the token was once ours: a page that cannot
 * read why it was refused cannot tell its person that the link has ended.
 */
export function answerAcrossOrigins(app: FastifyInstance, deps: ChatCorsDeps): void {
  const { origins, sessions, baseUrl } = deps;
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
  for (const [path, methods] of Object.entries(METHODS))
    answerPreflights(app, path, origins, { methods, headers: ['authorization', 'content-type'] });
}
