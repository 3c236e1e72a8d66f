import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type Context,
  contextOf,
  inContext,
  isTracing,
  startSpan,
} from '../platform/traces/index.ts';
import { operationOf } from './request-log.ts';

const contexts = new WeakMap<FastifyRequest, Context>();

/**
 * Records a span per request, as a child of the span in its `traceparent` header. The span contains the path of the operation,
 * never the URL, headers or body. Registers nothing if the process records no traces.
 */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, ReturnType<typeof startSpan>>();
  app.addHook('onRequest', (request, _, done) => {
    const route = operationOf(request)?.path;
    const started = startSpan(`${request.method} ${route ?? '(unknown)'}`, {
      kind: 'server',
      parent: contextOf(request.headers),
      attributes: {
        'http.request.method': request.method,
        'gatehouse.request_id': request.id,
        ...(route === undefined ? {} : { 'http.route': route }),
      },
    });
    if (started !== null) {
      spans.set(request, started);
      contexts.set(request, started.context);
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)?.span;
    const status = reply.statusCode;
    span?.setAttribute('http.response.status_code', status);
    if (status >= 500) span?.setAttribute('error.type', String(status));
    span?.end();
    done();
  });
}

/** Calls a function in the context of a request's span. The body of a request arrives outside this context. */
export function inRequestContext<T>(request: FastifyRequest, run: () => T): T {
  return isTracing() ? inContext(contexts.get(request), run) : run();
}
