import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes connections when the service stops. Node and Fastify close only idle connections.
 *
 * - If a request has arrived completely, its connection is closed after the response, without a time limit.
 * - If a request is incomplete, its connection is closed after `timeoutMs`, so a slow client cannot delay the stop.
 */
export function closeConnectionsOnStop(app: FastifyInstance, timeoutMs: number): void {
  /** The newest response on each open connection; `null` before the first request. */
  const connections = new Map<Socket, ServerResponse | null>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, null);
    socket.once('close', () => connections.delete(socket));
  });
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    connections.set(socket, response);
  });
  app.addHook('preClose', async () => {
    for (const response of connections.values()) makeLast(response);
    setTimeout(() => {
      for (const [socket, response] of connections) if (!isPending(response)) socket.destroy();
    }, timeoutMs).unref();
  });
}

/**
 * Closes each connection after its next response while the service is draining. Clients then reconnect through the load
 * balancer to another replica.
 */
export function closeConnectionsWhile(app: FastifyInstance, isDraining: () => boolean): void {
  // This listener must run before Fastify's own listener, which may respond synchronously.
  app.server.prependListener('request', (_request, response: ServerResponse) => {
    if (isDraining()) response.shouldKeepAlive = false;
  });
}

function makeLast(response: ServerResponse | null): void {
  if (response === null || response.writableFinished) return;
  if (response.headersSent) response.once('finish', () => response.req.socket.end());
  // A `connection: close` header would not work here, because `sendError` removes that header.
  else response.shouldKeepAlive = false;
}

/** Reports whether the request has arrived completely but its response is not finished. */
function isPending(response: ServerResponse | null): boolean {
  return response?.req.complete === true && !response.writableFinished;
}
