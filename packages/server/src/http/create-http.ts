import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import { type ApiError, DEFAULT_BODY_LIMIT } from '@gatehouse/contract';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { pooledRandomBytes } from '../lib/random/index.ts';
import { StorageUnavailable } from '../lib/threads/index.ts';
import type { RateCounts } from '../storage/ports/index.ts';
import { acceptJsonBodies } from './bodies/body-parsers.ts';
import { badRequest, brokenHttpHandler, brokenOff, internalError, toApiError } from './errors.ts';
import { storeOf, tooManyRequests } from './guards/address-limit.ts';
import { closeConnectionsOnStop } from './guards/close-connections.ts';
import {
  type ClientLimits,
  DEFAULT_CLIENT_LIMITS,
  disconnectSlowClients,
  nodeTimeouts,
} from './guards/slow-clients.ts';
import type { Idempotency } from './idempotency/idempotency.service.ts';
import { logRequest, logRequests, operationOf } from './request-log.ts';
import { traceRequests } from './trace-requests.ts';
import { unknownRoute } from './unknown-route.ts';

export interface HttpOptions {
  readonly log: FastifyBaseLogger;
  /** Addresses and networks of the proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly rates: RateCounts;
  readonly clientLimits?: Partial<ClientLimits>;
  /** Default: the header `Idempotency-Key` is ignored. */
  readonly idempotency?: Idempotency;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly idempotency: Idempotency | null;
    /** Paths that pages on other origins may use. `respondToPreflights` adds them. */
    readonly crossOriginPaths: Set<string>;
  }
}

/** Longer than any path that Node accepts. Long parameters are therefore rejected by the route and not by the router. */
const MAX_PARAM_LENGTH = 16_384;
const SINGLE_HEADERS = ['host', 'authorization', 'content-type'];
/** Comparing the lengths of names first is faster than comparing the names. */
const SINGLE_LENGTHS = SINGLE_HEADERS.map(({ length }) => length);
/** Maximum milliseconds for clients to complete their requests when the service stops. */
const STOP_TIMEOUT_MS = 3_000;

/**
 * Creates a Fastify application without routes. The application sends errors in the format of the contract, reads JSON bodies as
 * bytes, assigns request IDs, writes one log line per request and sets security headers.
 */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const clientLimits = { ...DEFAULT_CLIENT_LIMITS, ...options.clientLimits };
  const { http, ...timeouts } = nodeTimeouts(clientLimits);
  const responses = new WeakMap<Socket, ServerResponse>();
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Each log line adds the request ID itself, because creating a child logger per request would cost more than writing the
    // line.
    childLoggerFactory: (log) => log,
    bodyLimit: DEFAULT_BODY_LIMIT,
    ...timeouts,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // A hook below rejects a missing Host header, because Node's response would have no body.
    http: { ...http, requireHostHeader: false },
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    genReqId: requestId,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: brokenHttpHandler({
      nextId: requestId,
      newestResponse: (socket) => responses.get(socket),
      log: options.log,
    }),
    // The hooks below are not called for a path that the router cannot decode.
    frameworkErrors: (error, request, reply) => {
      addHeaders(request, reply);
      sendError(error, request, reply);
      logRequest(request, reply);
    },
  });
  app.server.on('request', (request, response) => {
    responses.set(request.socket, response);
  });
  // Unknown expectations are ignored (RFC 9110, section 10.1.1). Without this listener, Node would reject them.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.decorate('idempotency', options.idempotency ?? null);
  app.decorate('crossOriginPaths', new Set<string>());
  acceptJsonBodies(app);
  logRequests(app);
  traceRequests(app);
  closeConnectionsOnStop(app, STOP_TIMEOUT_MS);
  disconnectSlowClients(app, clientLimits);
  // This hook uses a callback, because creating a promise per request would cost more than the hook itself.
  app.addHook('onRequest', (request, reply, done) => {
    addHeaders(request, reply);
    const repeated = repeatedHeader(request.raw.rawHeaders);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(hostMissing());
    else if (repeated !== undefined) done(headerRepeated(repeated));
    else if (hasInvalidQuery(request.url)) done(queryInvalid());
    else done();
  });
  app.setErrorHandler((error, request, reply) => {
    // For an unknown route, report that error instead of problems with the body.
    sendError(request.is404 ? unknownRoute(request) : error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendError(unknownRoute(request), request, reply));
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

/** Returns the error for a request without a Host header (RFC 9112, section 3.2). */
function hostMissing(): ApiError {
  return badRequest('The request has no Host header.');
}

/**
 * Returns the name of a single header that the request repeats, or `undefined`. Node uses the first value and a proxy may use the last, so
 * the proxy and the service could see different hosts or credentials.
 */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!SINGLE_LENGTHS.includes(name.length)) continue;
    const index = SINGLE_HEADERS.indexOf(name.toLowerCase());
    if (index < 0) continue;
    if ((seen & (1 << index)) !== 0) return name;
    seen |= 1 << index;
  }
  return undefined;
}

function headerRepeated(name: string): ApiError {
  return badRequest(`The request has the header ${name} more than once; send it once.`);
}

/** Reports whether the query cannot be decoded. The router has already rejected every path that cannot be decoded. */
function hasInvalidQuery(url: string): boolean {
  return url.includes('%') && decoded(url) === null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function queryInvalid(): ApiError {
  return badRequest('The query is not valid percent-encoded UTF-8.');
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const expected = isClientGone(error, request, reply)
    ? brokenOff()
    : toApiError(error, {
        mediaTypes: mediaTypesOf(request),
        limit: request.routeOptions.bodyLimit,
      });
  if (expected === null)
    request.server.log.error({ requestId: request.id, err: error }, 'unexpected error');
  else if (error instanceof StorageUnavailable && error.reason === 'unwritable')
    request.server.log.error({ err: error }, 'requests end with 503: the storage is unavailable');
  const response = expected ?? internalError(request.id);
  if (response.status === 401) reply.header('www-authenticate', 'Bearer');
  // Fastify closes the connection if it did not read the whole body. A client that is still sending would not receive the
  // response. Without the `connection` header, Node reads and discards the rest of the body.
  if (reply.raw.shouldKeepAlive) reply.removeHeader('connection');
  return reply
    .code(response.status)
    .headers(response.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(response.toBody()));
}

/** Reports whether the client disconnected while sending its body, or before the response stream started. */
function isClientGone(error: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
  if (error === request.raw.errored) return true;
  const { code } = (error ?? {}) as { code?: unknown };
  return reply.raw.destroyed && code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function mediaTypesOf(request: FastifyRequest): string[] {
  return ['application/json', ...Object.keys(operationOf(request)?.otherBodies ?? {})];
}

/** Returns a random ID. A counter would show each client how many requests other clients send. */
function requestId(): string {
  return pooledRandomBytes(9).toString('base64url');
}
