import type { Operation } from '@gatehouse/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Writes a line for each request that is answered. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
}

/**
 * The one line of a request. It names the operation's path, never the URL, which may hold a token, and
 * no header, body or query.
 */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const line = {
    requestId: request.id,
    method: request.method,
    route: operationOf(request)?.path ?? null,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
  };
  request.server.log.info(line, 'request');
}

/** The operation that a request is routed to; undefined for unknown routes. */
export function operationOf(request: FastifyRequest): Operation | undefined {
  return (request.routeOptions.config as { operation?: Operation }).operation;
}
