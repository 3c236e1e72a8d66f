import type { ApiError } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unavailable } from '../api-errors.ts';

export interface BodyMemory {
  /** Maximum bytes of all concurrent bodies. If no other body is in flight, a body of any size is admitted. */
  readonly limit: number;
  /** Assumed size in bytes of a body without `Content-Length`. */
  readonly largest: number;
  /** Returns the memory in bytes that a body of a given size takes. Default: its size. */
  readonly memoryOf?: (request: FastifyRequest, size: number) => number;
  /** Returns the ID of the space of a request. Default: all requests belong to one space, which may use the whole memory. */
  readonly spaceOf?: (request: FastifyRequest) => string;
}

/** With more than one body in flight, a space may use up to this many times the memory that remains free. */
const SHARE = 3;

/**
 * Limits the total memory of concurrent request bodies on the routes of this Fastify plugin. A request that would exceed the
 * limit is rejected with 503 before its body is read. A request of a space with a body in flight is also rejected if the space
 * would then use more than three quarters of the memory that other spaces leave. So a space that sends its bodies slowly leaves memory
 * for others.
 */
export function limitBodiesTogether(
  app: FastifyInstance,
  { limit, largest, memoryOf, spaceOf }: BodyMemory,
): void {
  const admitted = new WeakMap<
    FastifyRequest,
    { readonly space: string; readonly bytes: number }
  >();
  const bySpace = new Map<string, number>();
  let inFlight = 0;

  function add(space: string, bytes: number): void {
    inFlight += bytes;
    const own = (bySpace.get(space) ?? 0) + bytes;
    if (own === 0) bySpace.delete(space);
    else bySpace.set(space, own);
  }

  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const size = Math.min(largest, Number(request.headers['content-length'] ?? largest));
    const bytes = memoryOf?.(request, size) ?? size;
    const space = spaceOf?.(request) ?? '';
    const own = bySpace.get(space) ?? 0;
    const free = limit - inFlight - bytes;
    const exceedsShare = spaceOf !== undefined && own > 0 && own + bytes > SHARE * free;
    if ((inFlight > 0 && free < 0) || exceedsShare) {
      done(busy());
      return;
    }
    add(space, bytes);
    admitted.set(request, { space, bytes });
    done();
  });
  const release = (request: FastifyRequest): void => {
    const released = admitted.get(request);
    if (released === undefined) return;
    admitted.delete(request);
    add(released.space, -released.bytes);
  };
  // The body's memory counts until the handler has finished. If the client has disconnected, Fastify still calls `onSend` but
  // never calls `onResponse`.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    release(request);
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    release(request);
    done();
  });
}

export function busy(): ApiError {
  return unavailable(
    'http.overloaded',
    'The service is processing too many large requests; retry after the delay in Retry-After.',
    2,
  );
}
