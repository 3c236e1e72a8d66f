import { metrics as metricsOperation } from '@gatehouse/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Metrics } from '../../platform/metrics/index.ts';
import { operationOf } from '../request-log.ts';
import { anyone, route } from '../route.ts';

/** Counts and times all requests, and registers `/metrics`. */
export function registerMetrics(app: FastifyInstance, { metrics }: { metrics: Metrics }): void {
  countRequests(app, metrics.registry);
  route(app, metricsOperation, {
    caller: anyone,
    handle: async () => ({ status: 200, text: await metrics.registry.metrics() }),
  });
}

const UNKNOWN_ROUTE = '(unknown)';
const DURATION_BUCKETS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/**
 * Counts and times requests by the path of their operation. URLs are not used as labels, because their number is unlimited and
 * they may contain tokens.
 */
function countRequests(app: FastifyInstance, registry: Registry): void {
  const observe = requestObserver(registry);
  app.addHook('onResponse', (request, reply, done) => {
    observe(request, reply);
    done();
  });
}

function requestObserver(
  registry: Registry,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const total = new Counter({
    name: 'gatehouse_http_requests_total',
    help: 'HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'gatehouse_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  // Label lookups are cached, because a lookup per request would cost several times as much.
  const counts = new Map<string, Counter.Internal>();
  const timers = new Map<string, Histogram.Internal<'method' | 'route'>>();
  return (request, reply) => {
    const { method } = request;
    const route = operationOf(request)?.path ?? UNKNOWN_ROUTE;
    const status = reply.statusCode;
    const routeKey = `${method} ${route}`;
    const countKey = `${routeKey} ${status}`;
    let count = counts.get(countKey);
    let timer = timers.get(routeKey);
    if (count === undefined) {
      count = total.labels({ method, route, status });
      counts.set(countKey, count);
    }
    if (timer === undefined) {
      timer = duration.labels({ method, route });
      timers.set(routeKey, timer);
    }
    count.inc();
    timer.observe(reply.elapsedTime / 1000);
  };
}
