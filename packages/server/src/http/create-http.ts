import { randomBytes } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import type { ApiError } from '@gatehouse/contract';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { RateCounts } from '../storage/ports/index.ts';
import { takeJsonBodies } from './bodies/body-parsers.ts';
import {
  answerToBrokenHttp,
  badRequest,
  brokenOff,
  internalError,
  noSuchRoute,
  toApiError,
} from './errors.ts';
import { storeOf, tooManyRequests } from './guards/address-limit.ts';
import { closeConnectionsOnStop } from './guards/close-connections.ts';
import { hangUpOnSlowClients, PATIENCE, type Patience, timeLimits } from './guards/slow-clients.ts';
import { logRequest, logRequests, operationOf } from './request-log.ts';

export interface HttpOptions {
  readonly log: FastifyBaseLogger;
  /** Addresses or networks of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Where it is counted how often an address calls what is limited. */
  readonly rates: RateCounts;
  /** What differs from the usual. */
  readonly patience?: Partial<Patience>;
}

const BODY_LIMIT = 1024 * 1024;
/** No path that Node takes is longer, so that its route says what is wrong with it, not the router. */
const MAX_PARAM_LENGTH = 16_384;
/** What is still arriving when the service stops has this long to arrive. */
const STOP_PATIENCE_MS = 3_000;

/**
 * A Fastify application with our conventions and no routes: errors in the contract's form, JSON
 * bodies as bytes, a request id, one log line a request, safe headers.
 */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const nextId = requestIds();
  const patience = { ...PATIENCE, ...options.patience };
  const { http, ...timeouts } = timeLimits(patience);
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Lines name their request themselves; a logger for each request would cost more than the line.
    childLoggerFactory: (log) => log,
    bodyLimit: BODY_LIMIT,
    ...timeouts,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Without one Node answers 400 without a body; ours says what is missing.
    http: { ...http, requireHostHeader: false },
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    genReqId: nextId,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: answerToBrokenHttp({ nextId, log: options.log }),
    // A path that the router cannot read meets none of the hooks below.
    frameworkErrors: (error, request, reply) => {
      addHeaders(request, reply);
      sendError(error, request, reply);
      logRequest(request, reply);
    },
  });
  // RFC 9110, section 10.1.1, lets a server ignore what it does not know; Node answers without a body.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  takeJsonBodies(app);
  logRequests(app);
  closeConnectionsOnStop(app, STOP_PATIENCE_MS);
  hangUpOnSlowClients(app, patience);
  // Hooks with a callback: a promise for each request and hook would cost more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    addHeaders(request, reply);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(hostMissing());
    else done();
  });
  app.setErrorHandler((error, request, reply) => {
    // Whatever is wrong with its body, there is no route that would take a better one.
    sendError(request.is404 ? noSuchRoute(request.url) : error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendError(noSuchRoute(request.url), request, reply));
  await app.register(rateLimit, {
    global: false,
    store: storeOf(options.rates),
    errorResponseBuilder: tooManyRequests,
  });
  return app;
}

function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
}

/** RFC 9112, section 3.2. */
function hostMissing(): ApiError {
  return badRequest('The request has no Host header.');
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const designed = isClientGone(error, request, reply)
    ? brokenOff()
    : toApiError(error, mediaTypesOf(request));
  if (designed === null)
    request.server.log.error({ requestId: request.id, err: error }, 'unexpected error');
  const answer = designed ?? internalError(request.id);
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  // Fastify hangs up on a body that it stops reading, and a client that is still sending would see its
  // connection break instead of the answer. Node reads the rest and throws it away.
  if (reply.raw.shouldKeepAlive) reply.removeHeader('connection');
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.toBody()));
}

/** Whether the client hung up, while it sent its body or before the stream that answers it had begun. */
function isClientGone(error: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
  if (error === request.raw.errored) return true;
  const { code } = (error ?? {}) as { code?: unknown };
  return reply.raw.destroyed && code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function mediaTypesOf(request: FastifyRequest): string[] {
  return ['application/json', ...Object.keys(operationOf(request)?.otherBodies ?? {})];
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
