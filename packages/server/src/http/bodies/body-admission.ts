import { ApiError } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Bounds what large bodies take in memory together, for the routes of this part of the application:
 * a request whose body would exceed it is answered 503 before the body is read.
 *
 * @param limit bytes of bodies that may be under way at once; one alone is always let in.
 * @param largest what a body without a length counts as.
 */
export function limitBodiesTogether(app: FastifyInstance, limit: number, largest: number): void {
  const admitted = new WeakMap<FastifyRequest, number>();
  let together = 0;
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const bytes = Math.min(largest, Number(request.headers['content-length'] ?? largest));
    if (together > 0 && together + bytes > limit) {
      done(busy());
      return;
    }
    together += bytes;
    admitted.set(request, bytes);
    done();
  });
  const release = (request: FastifyRequest): void => {
    together -= admitted.get(request) ?? 0;
    admitted.delete(request);
  };
  // When its handler has ended, whether or not the client has stayed to hear the answer: of one that hung
  // up meanwhile Fastify says no more.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    release(request);
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    release(request);
    done();
  });
}

/** 503: other bodies take what memory there is for them. */
export function busy(): ApiError {
  return new ApiError({
    status: 503,
    code: 'http.overloaded',
    message: 'Too many large bodies are under way; send this one again in a moment.',
    headers: { 'retry-after': '2' },
  });
}
