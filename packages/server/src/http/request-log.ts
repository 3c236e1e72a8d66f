import type { Operation } from '@gatehouse/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
}

/**
 * Writes the log line of a request. The line contains the path of the operation. It never contains the URL, headers or body,
 * because they may contain secrets.
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

/** Returns the operation of a request, or `undefined` for an unknown route. */
export function operationOf(request: FastifyRequest): Operation | undefined {
  return (request.routeOptions.config as { operation?: Operation }).operation;
}
