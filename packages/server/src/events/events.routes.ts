import { ingestEvents, listEvents } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AllowedOrigins, bytesOf, JUDGES_ITS_BODIES, route } from '../http/index.ts';
import { readWebhookHeaders } from '../sources/index.ts';
import { chooseDoor } from './doors.ts';
import { takeEventBodies } from './event-bodies.ts';
import { webhookHeadersInvalid } from './events.errors.ts';
import { createFeed } from './feed.service.ts';
import { answerHandshakes } from './handshake.ts';
import { createIngest, type IngestDeps, type Sender } from './ingest.service.ts';
import { registerLiveRoutes } from './live/live.routes.ts';
import type { Live } from './live/live.service.ts';

export interface EventRoutesDeps extends IngestDeps {
  /** The senders of web-hooks that spaces allow. */
  readonly origins: AllowedOrigins;
  readonly live: Live;
}

/** `POST /events`, the web-hook handshake before it, `GET /events` and `GET /events/stream`. */
export function registerEventRoutes(app: FastifyInstance, deps: EventRoutesDeps): void {
  const ingest = createIngest(deps);
  const feed = createFeed(deps);

  app.register(async (part) => {
    takeEventBodies(part);
    route(part, ingestEvents, {
      caller: (request) => senderByHeaders(deps, request),
      rawBody: true,
      config: JUDGES_ITS_BODIES,
      handle: async ({ caller: sender, query, request }) => {
        const door = chooseDoor(request.headers);
        const body = bytesOf(request.body);
        const read = () => door(body, request.raw);
        const { spaceId } = query;
        return {
          status: 200,
          body: await ingest({ ...sender, address: request.ip, spaceId, body, read }),
        };
      },
    });
  });

  answerHandshakes(app, deps.origins);

  route(app, listEvents, {
    caller: (request) => deps.access.caller(request),
    handle: async ({ caller, query }) => ({ status: 200, text: await feed(caller, query) }),
  });

  registerLiveRoutes(app, deps);
}

/**
 * A key or a session decides; without one the headers of Standard Webhooks do, and without those the
 * body is asked. Beside a key they are kept, for sources that require a signature.
 */
async function senderByHeaders(
  { access, clock, limits }: Pick<IngestDeps, 'access' | 'clock' | 'limits'>,
  request: FastifyRequest,
): Promise<Sender> {
  const caller = access.hasCredential(request) ? await access.caller(request) : null;
  // Before the body is read, which costs more than the refusal.
  if (caller?.kind === 'key') limits.require(caller.keyId, caller.spaceId);
  const webhook = readWebhookHeaders(request.headers, clock());
  if (!webhook.given) return { caller, webhook: null };
  if (webhook.headers === null && caller === null) throw webhookHeadersInvalid(webhook.problems);
  return { caller, webhook: webhook.headers };
}
