import { ingestEvents, listEvents } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access, Caller } from '../access/index.ts';
import { bytesOf, JUDGES_ITS_BODIES, route } from '../http/index.ts';
import { chooseDoor } from './doors.ts';
import { takeEventBodies } from './event-bodies.ts';
import { signatureUnsupported } from './events.errors.ts';
import { createFeed } from './feed.service.ts';
import { createIngest, type IngestDeps } from './ingest.service.ts';

/** `POST /events` and `GET /events`. */
export function registerEventRoutes(app: FastifyInstance, deps: IngestDeps): void {
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
