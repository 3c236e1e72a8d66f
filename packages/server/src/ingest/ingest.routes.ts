import { ApiError, ingestEvents, MAX_INGEST_BYTES, UUID } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type AllowedOrigins,
  bytesOf,
  CHECKS_ITS_BODIES,
  decompressBodies,
  route,
} from '../http/index.ts';
import { chooseFormat } from './formats/choose-format.ts';
import { webhookHeadersInvalid } from './ingest.errors.ts';
import { createIngest, type IngestDeps, type Sender } from './ingest.service.ts';
import {
  type Rejection,
  type RejectionRoutesDeps,
  reasonOf,
  registerRejectionRoutes,
  senderOf,
} from './rejections/index.ts';
import { readWebhookHeaders } from './sources/index.ts';

interface IngestRoutesDeps extends IngestDeps, RejectionRoutesDeps {
  readonly origins: AllowedOrigins;
}

export function registerIngestRoutes(app: FastifyInstance, deps: IngestRoutesDeps): void {
  const ingest = createIngest(deps);
  const senders: Senders = new WeakMap();

  app.register(async (part) => {
    acceptEventBodies(part);
    part.addHook('onError', async (request, _reply, error) => {
      const known = senders.get(request);
      deps.tally.refused(error, known?.spaceId ?? null);
      const rejected = reasonOf(error);
      if (known === undefined || rejected === null) return;
      deps.rejections.add({ ...known, ...rejected, problem: problemOf(error), event: null });
    });
    route(part, ingestEvents, {
      caller: (request) => senderByHeaders(deps, request, senders),
      rawBody: true,
      config: CHECKS_ITS_BODIES,
      handle: async ({ caller: sender, query, request }) => {
        const format = chooseFormat(request.headers);
        const body = bytesOf(request.body);
        const read = () => format(body, request.raw);
        const { spaceId } = query;
        const identify = (space: string, by: Rejection['sender']) =>
          senders.set(request, { spaceId: space, sender: by });
        const call = { ...sender, address: request.ip, spaceId, body, read, identify };
        return { status: 200, body: await ingest(call) };
      },
    });
  });

  answerHandshakes(app, deps.origins);
  registerRejectionRoutes(app, deps);
}

/**
 * Returns the sender that the headers identify. An API key or a session takes precedence over the webhook headers. The
 * webhook headers are also returned in that case, because some sources require a signature.
 */
async function senderByHeaders(
  { access, clock, limits }: Pick<IngestDeps, 'access' | 'clock' | 'limits'>,
  request: FastifyRequest,
  senders: Senders,
): Promise<Sender> {
  const caller = access.hasCredential(request) ? await access.caller(request) : null;
  if (caller?.kind === 'key') {
    senders.set(request, { spaceId: caller.spaceId, sender: senderOf(caller, caller.keyId) });
    // Rejecting before reading the body is cheaper.
    await limits.require(caller.keyId, caller.spaceId);
  }
  const webhook = readWebhookHeaders(request.headers, clock());
  if (!webhook.given) return { caller, webhook: null };
  if (webhook.headers === null && caller === null) throw webhookHeadersInvalid(webhook.problems);
  return { caller, webhook: webhook.headers };
}

/** The proven senders of requests. Rejected requests are recorded only for these senders. */
type Senders = WeakMap<FastifyRequest, Pick<Rejection, 'spaceId' | 'sender'>>;

function problemOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'The request cannot be read.';
  const { message, issues = [] } = error;
  return [message, ...issues.map((issue) => issue.message)].join(' ');
}

/** Maximum total size in bytes of all decompressed bodies that are being read. */
const MAX_DECOMPRESSED_BYTES = 128 * 1024 * 1024;

/**
 * Accepts bodies of every format as bytes and decompresses them. Applies only to the routes of `app`.
 * An unsupported content type is rejected with 415 before the body is read.
 */
function acceptEventBodies(app: FastifyInstance): void {
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    chooseFormat(request.headers);
    done();
  });
  decompressBodies(app, { each: MAX_INGEST_BYTES, together: MAX_DECOMPRESSED_BYTES });
}

const METHODS = 'GET, HEAD, POST, OPTIONS';
/** Value of `WebHook-Allowed-Rate`: no limit is announced. Senders that exceed a limit get 429 or 503. */
const ANY_RATE = '*';

/**
 * Registers the validation handshake for webhook senders (CloudEvents 1.0.2, webhooks, section 4), which always returns
 * 204. The handshake grants no permission: every delivery needs a credential. `WebHook-Request-Callback` is ignored
 * because a caller could put any address there.
 *
 * @param origins the allowed origins of each space. If the request has no `?spaceId=`, an origin is allowed if any
 * space allows it.
 */
function answerHandshakes(app: FastifyInstance, origins: AllowedOrigins): void {
  app.options('/events', async ({ headers, query }, reply) => {
    reply.code(204).header('allow', METHODS);
    const sender = headers['webhook-request-origin'];
    const { spaceId } = query as { spaceId?: unknown };
    if (typeof sender === 'string' && (await isAllowed(origins, sender, spaceId)))
      reply.headers({ 'webhook-allowed-origin': sender, 'webhook-allowed-rate': ANY_RATE });
    return reply.send();
  });
}

async function isAllowed(
  origins: AllowedOrigins,
  sender: string,
  spaceId: unknown,
): Promise<boolean> {
  const names = originsOf(sender.toLowerCase());
  if (spaceId === undefined) {
    for (const name of names) if (await origins.isAllowedSomewhere(name)) return true;
    return false;
  }
  if (typeof spaceId !== 'string' || !UUID.test(spaceId)) return false;
  const allowed = await origins.allowedOrigins(spaceId.toLowerCase());
  return names.some((name) => allowed.includes(name));
}

/** Returns the web origins of a DNS name, because the spaces list their allowed senders as web origins. */
function originsOf(sender: string): readonly string[] {
  return sender.includes('://') ? [sender] : [`https://${sender}`, `http://${sender}`];
}
