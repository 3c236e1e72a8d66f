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

function makeLast(response: ServerResponse | null): void {
  if (response === null || response.writableFinished) return;
  if (response.headersSent) response.once('finish', () => response.req.socket.end());
  else response.setHeader('connection', 'close');
}

/** Whether the request has arrived whole and its answer has not left yet. */
function isDue(response: ServerResponse | null): boolean {
  return response?.req.complete === true && !response.writableFinished;
}
