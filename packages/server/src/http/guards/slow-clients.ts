import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long clients may take, milliseconds, and how much they may make us hold. */
export interface Patience {
  /** From the first byte of a request, or from the connection, to the end of the headers. */
  readonly headersMs: number;
  /** To the end of the body. */
  readonly requestMs: number;
  /** Taking nothing of an answer while there is something to take. */
  readonly unreadMs: number;
  /** Between the end of an answer and the next request. */
  readonly keptMs: number;
  /** How often the first two are looked at; each may last so much longer. */
  readonly checkMs: number;
  /** Bytes of requests that are still arriving and of answers that are not read yet, all connections together. */
  readonly heldBytes: number;
}

export const PATIENCE: Patience = {
  headersMs: 15_000,
  requestMs: 60_000,
  unreadMs: 60_000,
  keptMs: 72_000,
  checkMs: 5_000,
  heldBytes: 256 * 1024 * 1024,
};

/** Detects a peer that is gone without a word, on a connection that is silent for so long. */
const PROBE_AFTER_MS = 60_000;
const WEIGH_EVERY_MS = 500;

/** What Node itself looks after: 408 and the end of the connection. */
export function timeLimits({ headersMs, requestMs, keptMs, checkMs }: Patience) {
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: keptMs,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER_MS,
    },
  };
}

/** What is under way on a connection. */
interface UnderWay {
  /** The newest request, and the bytes that the connection had brought before it. */
  request: IncomingMessage;
  readBefore: number;
  /** Oldest first; all but the newest may be finished. A client may ask again before it is answered. */
  readonly responses: ServerResponse[];
}

/**
 * Hangs up on clients that make the service hold much for long: those that stop reading an answer, and, when
 * all that is held together exceeds its limit, those whose newest request is the oldest. A client that is as
 * fast as its line is not affected by the others, since its turn is soon over.
 */
export function hangUpOnSlowClients(
  app: FastifyInstance,
  { unreadMs, heldBytes }: Pick<Patience, 'unreadMs' | 'heldBytes'>,
): void {
  /** In the order of the newest requests. */
  const connections = new Map<Socket, UnderWay>();
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
  // Of a connection on which nothing moves; Node itself would end those that wait for a handler, too.
  app.server.setTimeout(unreadMs, (socket) => {
    const newest = connections.get(socket)?.responses.at(-1);
    const isIdle = newest === undefined || newest.writableFinished;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  const timer = setInterval(() => {
    let held = 0;
    for (const [socket, underWay] of connections) held += heldBy(socket, underWay);
    for (const [socket, underWay] of connections) {
      if (held <= heldBytes) return;
      const own = heldBy(socket, underWay);
      if (own > 0) socket.destroy();
      held -= own;
    }
  }, WEIGH_EVERY_MS);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

function heldBy(socket: Socket, { request, readBefore, responses }: UnderWay): number {
  const arriving = request.complete ? 0 : socket.bytesRead - readBefore;
  return responses.reduce(
    (sum, response) => sum + (response.writableFinished ? 0 : response.writableLength),
    arriving,
  );
}
