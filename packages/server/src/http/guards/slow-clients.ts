import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Limits for slow clients. Times are milliseconds. */
export interface ClientLimits {
  /** Maximum time from the start of a request or connection to the end of the headers. */
  readonly headersMs: number;
  /** Maximum time from the start of a request to the end of its body. */
  readonly requestMs: number;
  /** Maximum time in which a client reads nothing although response data is available. */
  readonly unreadMs: number;
  /** Maximum idle time between a response and the next request. */
  readonly keepAliveMs: number;
  /** Interval at which `headersMs` and `requestMs` are checked. */
  readonly checkMs: number;
  /** Maximum bytes of incomplete requests and unread responses over all connections. */
  readonly heldBytes: number;
}

export const DEFAULT_CLIENT_LIMITS: ClientLimits = {
  headersMs: 15_000,
  requestMs: 60_000,
  unreadMs: 60_000,
  keepAliveMs: 72_000,
  checkMs: 5_000,
  heldBytes: 256 * 1024 * 1024,
};

/** Idle time in milliseconds before TCP keep-alive probes, which detect unreachable peers. */
const PROBE_AFTER_MS = 60_000;
const MEASURE_EVERY_MS = 500;

/** Returns the options for the timeouts that Node enforces with 408. */
export function nodeTimeouts({ headersMs, requestMs, keepAliveMs, checkMs }: ClientLimits) {
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER_MS,
    },
  };
}

/** The requests and responses in flight on a connection. */
interface InFlight {
  request: IncomingMessage;
  /** Bytes read from the connection before the newest request. */
  readBefore: number;
  /** Responses, oldest first. If the client pipelines requests, several responses can be unfinished. */
  readonly responses: ServerResponse[];
}

/**
 * Disconnects clients that occupy memory for too long. A client that stops reading a response is disconnected after `unreadMs`.
 * If all connections together occupy more than `heldBytes`, the clients with the oldest requests are disconnected.
 */
export function disconnectSlowClients(
  app: FastifyInstance,
  { unreadMs, heldBytes }: Pick<ClientLimits, 'unreadMs' | 'heldBytes'>,
): void {
  /** Connections, ordered by the start of their newest request. */
  const connections = new Map<Socket, InFlight>();
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const readBefore = socket.bytesRead;
    const known = connections.get(socket);
    if (known === undefined) {
      socket.once('close', () => connections.delete(socket));
      connections.set(socket, { request, readBefore, responses: [response] });
      return;
    }
    while (known.responses[0]?.writableFinished) known.responses.shift();
    known.responses.push(response);
    known.request = request;
    known.readBefore = readBefore;
    connections.delete(socket);
    connections.set(socket, known);
  });
  // Without a listener, Node would also close connections whose handler is still running.
  app.server.setTimeout(unreadMs, (socket) => {
    const newest = connections.get(socket)?.responses.at(-1);
    const isIdle = newest === undefined || newest.writableFinished;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  const timer = setInterval(() => {
    let held = 0;
    for (const [socket, inFlight] of connections) held += heldBy(socket, inFlight);
    for (const [socket, inFlight] of connections) {
      if (held <= heldBytes) return;
      const own = heldBy(socket, inFlight);
      if (own > 0) socket.destroy();
      held -= own;
    }
  }, MEASURE_EVERY_MS);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** Requests whose bodies are processed in pieces while they arrive. */
const inPieces = new WeakSet<IncomingMessage>();
/** Maximum memory in bytes of a body that is processed in pieces. */
const MAX_PIECE_BYTES = 2 * 1024 * 1024;

/**
 * Declares that the service does not hold the whole body of a request in memory. The limit for slow clients then counts at most
 * 2 MiB of the body.
 */
export function countInPieces(request: IncomingMessage): void {
  inPieces.add(request);
}

function heldBy(socket: Socket, { request, readBefore, responses }: InFlight): number {
  const received = request.complete ? 0 : socket.bytesRead - readBefore;
  const arriving = inPieces.has(request) ? Math.min(received, MAX_PIECE_BYTES) : received;
  return responses.reduce(
    (sum, response) => sum + (response.writableFinished ? 0 : response.writableLength),
    arriving,
  );
}
