import { ingestEvents, listEvents } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access, Caller } from '../access/index.ts';
import { type AllowedOrigins, bytesOf, JUDGES_ITS_BODIES, route } from '../http/index.ts';
import { chooseDoor } from './doors.ts';
import { takeEventBodies } from './event-bodies.ts';
import { signatureUnsupported } from './events.errors.ts';
import { createFeed } from './feed.service.ts';
import { answerHandshakes } from './handshake.ts';
import { createIngest, type IngestDeps } from './ingest.service.ts';

export interface EventRoutesDeps extends IngestDeps {
  /** The senders of web-hooks that spaces allow. */
  readonly origins: AllowedOrigins;
}

/** `POST /events`, the web-hook handshake before it, and `GET /events`. */
export function registerEventRoutes(app: FastifyInstance, deps: EventRoutesDeps): void {
  const ingest = createIngest(deps);
  const feed = createFeed(deps);

  app.register(async (part) => {
    takeEventBodies(part);
    route(part, ingestEvents, {
      caller: (request) => callerByHeaders(deps.access, request),
      rawBody: true,
      config: JUDGES_ITS_BODIES,
      handle: async ({ caller, query, request }) => {
        const door = chooseDoor(request.headers);
        const body = bytesOf(request.body);
        const read = () => door(body, request.raw);
        return { status: 200, body: await ingest({ caller, spaceId: query.spaceId, read }) };
      },
    });
  });

  answerHandshakes(app, deps.origins);

  route(app, listEvents, {
    caller: (request) => deps.access.caller(request),
    handle: async ({ caller, query }) => ({ status: 200, text: await feed(caller, query) }),
  });
}

/** A credential in the headers decides; without one the body is asked. */
async function callerByHeaders(access: Access, request: FastifyRequest): Promise<Caller | null> {
  if (access.hasCredential(request)) return access.caller(request);
  if (request.headers['webhook-signature'] !== undefined) throw signatureUnsupported();
  return null;
}
