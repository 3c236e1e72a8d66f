import { ingestEvents, listEvents, MAX_INGEST_BYTES } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type AllowedOrigins,
  bytesOf,
  JUDGES_ITS_BODIES,
  route,
  unpackBodies,
} from '../http/index.ts';
import type { Caller } from '../identity/index.ts';
import type { Consumers } from '../streams/consumers/index.ts';
import { createFeed } from '../streams/feed/index.ts';
import { type Live, registerLiveRoutes } from '../streams/live/index.ts';
import { type AllCounts, registerStatsRoutes } from '../streams/statistics/index.ts';
import { chooseFormat } from './formats/choose-format.ts';
import { answerHandshakes } from './handshake.ts';
import { webhookHeadersInvalid } from './ingest.errors.ts';
import { createIngest, type IngestDeps, type Sender } from './ingest.service.ts';
import { readWebhookHeaders } from './sources/index.ts';

interface EventRoutesDeps extends IngestDeps {
  readonly origins: AllowedOrigins;
  readonly live: Live;
  readonly consumers: Consumers;
  readonly allCounts: AllCounts | null;
}

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
        const format = chooseFormat(request.headers);
        const body = bytesOf(request.body);
        const read = () => format(body, request.raw);
        const { spaceId } = query;
        const call = { ...sender, address: request.ip, spaceId, body, read };
        try {
          return { status: 200, body: await ingest(call) };
        } catch (error) {
          deps.tally.refused(error, spaceOfKey(sender.caller));
          throw error;
        }
      },
    });
  });

  answerHandshakes(app, deps.origins);

  route(app, listEvents, {
    caller: (request) => deps.access.caller(request),
    handle: async ({ caller, query }) => ({ status: 200, text: await feed(caller, query) }),
  });

  registerLiveRoutes(app, deps);
  registerStatsRoutes(app, deps);
}

/**
 * Returns the sender that the headers identify. An API key or a session takes precedence over the webhook headers. The
 * webhook headers are also returned in that case, because some sources require a signature.
 */
async function senderByHeaders(
  { access, clock, limits, tally }: Pick<IngestDeps, 'access' | 'clock' | 'limits' | 'tally'>,
  request: FastifyRequest,
): Promise<Sender> {
  let caller: Caller | null = null;
  try {
    if (access.hasCredential(request)) caller = await access.caller(request);
    // Rejecting before reading the body is cheaper.
    if (caller?.kind === 'key') limits.require(caller.keyId, caller.spaceId);
    const webhook = readWebhookHeaders(request.headers, clock());
    if (!webhook.given) return { caller, webhook: null };
    if (webhook.headers === null && caller === null) throw webhookHeadersInvalid(webhook.problems);
    return { caller, webhook: webhook.headers };
  } catch (error) {
    tally.refused(error, spaceOfKey(caller));
    throw error;
  }
}

function spaceOfKey(caller: Caller | null): string | null {
  return caller?.kind === 'key' ? caller.spaceId : null;
}

/** Maximum total size in bytes of all decompressed bodies that are being read. */
const MAX_DECOMPRESSED_BYTES = 128 * 1024 * 1024;

/**
 * Accepts bodies of every format as bytes and decompresses them. Applies only to the routes of `app`.
 * An unsupported content type is rejected with 415 before the body is read.
 */
function takeEventBodies(app: FastifyInstance): void {
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    chooseFormat(request.headers);
    done();
  });
  unpackBodies(app, { each: MAX_INGEST_BYTES, together: MAX_DECOMPRESSED_BYTES });
}
