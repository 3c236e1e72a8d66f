import { randomBytes } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import { ApiError } from '@gatehouse/contract';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { takeJsonBodies } from './body-parsers.ts';
import { answerToBrokenHttp } from './broken-http.ts';
import { closeConnectionsOnStop } from './close-connections.ts';
import { bodyBrokenOff, internalError, toApiError } from './errors.ts';
import { noSuchRoute } from './not-found.ts';
import { logRequests } from './request-log.ts';

export interface HttpOptions {
  readonly log: FastifyBaseLogger;
  /** Addresses or networks of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

const BODY_LIMIT = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 60_000;
/** What is still arriving when the service stops has this long to arrive. */
const STOP_PATIENCE_MS = 3_000;

/**
 * A Fastify application with our conventions and no routes: errors in the contract's form, JSON
 * bodies as bytes, a request id, one log line a request, safe headers.
 */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Lines name their request themselves; a logger for each request would cost more than the line.
    childLoggerFactory: (log) => log,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 2000 },
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    genReqId: requestIds(),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: answerToBrokenHttp,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  });
  takeJsonBodies(app);
  logRequests(app);
  closeConnectionsOnStop(app, STOP_PATIENCE_MS);
  // Hooks with a callback: a promise for each request and hook would cost more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendError(noSuchRoute(request.url), request, reply));
  await app.register(rateLimit, { global: false, errorResponseBuilder: tooManyRequests });
  return app;
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const designed = error === request.raw.errored ? bodyBrokenOff() : toApiError(error);
  if (designed === null)
    request.server.log.error({ requestId: request.id, err: error }, 'unexpected error');
  const answer = designed ?? internalError(request.id);
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.toBody()));
}

function tooManyRequests(_request: FastifyRequest, context: { ttl: number }): ApiError {
  const seconds = Math.max(1, Math.ceil(context.ttl / 1000));
  return new ApiError({
    status: 429,
    code: 'http.too-many-requests',
    message: `Too many requests from this address; try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}

/** Ids that no two processes share and that cost nothing to make. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
