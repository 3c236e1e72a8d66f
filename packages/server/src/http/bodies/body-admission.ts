import { ApiError } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Limits the total memory of concurrent request bodies on the routes of this Fastify plugin. A request that would exceed the
 * limit is rejected with 503 before its body is read.
 *
 * @param limit maximum bytes of all concurrent bodies. If no other body is in flight, a body of any size is admitted.
 * @param largest assumed size in bytes of a body without `Content-Length`.
 * @param memoryOf returns the memory in bytes that a body of a given size takes. Default: its size.
 */
export function limitBodiesTogether(
  app: FastifyInstance,
  limit: number,
  largest: number,
  memoryOf: (request: FastifyRequest, size: number) => number = (_request, size) => size,
): void {
  const admitted = new WeakMap<FastifyRequest, number>();
  let inFlight = 0;
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const size = Math.min(largest, Number(request.headers['content-length'] ?? largest));
    const bytes = memoryOf(request, size);
    if (inFlight > 0 && inFlight + bytes > limit) {
      done(busy());
      return;
    }
    inFlight += bytes;
    admitted.set(request, bytes);
    done();
  });
  const release = (request: FastifyRequest): void => {
    inFlight -= admitted.get(request) ?? 0;
    admitted.delete(request);
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
  return new ApiError({
    status: 503,
    code: 'http.overloaded',
    message:
      'The service is processing too many large requests; retry after the delay in Retry-After.',
    headers: { 'retry-after': '2' },
  });
}
