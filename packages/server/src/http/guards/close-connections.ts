import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends the connections of a service that stops, which Node and Fastify do for idle ones only:
 *
 * - a request that has arrived whole is answered, however long that takes, and its connection ends
 *   with the answer instead of being kept alive
 * - a request that is still arriving has `patienceMs` left; a client that never finishes what it sends
 *   would hold up the stop
 */
export function closeConnectionsOnStop(app: FastifyInstance, patienceMs: number): void {
  /** The newest answer on each open connection; null before its first request. */
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
      for (const [socket, response] of connections) if (!isDue(response)) socket.destroy();
    }, patienceMs).unref();
  });
}

/**
 * Ends connections with the next answer on them while the service is about to stop: who goes on is then
 * sent elsewhere by whatever stands before the service, and nobody is on a connection when it breaks.
 */
export function closeConnectionsWhile(app: FastifyInstance, isDraining: () => boolean): void {
  // Before Fastify's own listener, which may have answered when it returns.
  app.server.prependListener('request', (_request, response: ServerResponse) => {
    if (isDraining()) response.shouldKeepAlive = false;
  });
}

function makeLast(response: ServerResponse | null): void {
  if (response === null || response.writableFinished) return;
  if (response.headersSent) response.once('finish', () => response.req.socket.end());
  // Not by the header, which is taken out of an answer that is an error.
  else response.shouldKeepAlive = false;
}

/** Whether the request has arrived whole and its answer has not left yet. */
function isDue(response: ServerResponse | null): boolean {
  return response?.req.complete === true && !response.writableFinished;
}
