import { type ApiError, health, readiness } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../platform/metrics/index.ts';
import { unavailable } from '../api-errors.ts';
import { anyone, route } from '../route.ts';

export interface HealthOptions {
  /** Throws or rejects if the service cannot serve requests, for example because the storage cannot be read. */
  readonly check: () => void | Promise<void>;
  readonly isDraining: () => boolean;
  readonly metrics: Metrics;
}

const OK = { status: 200, body: { status: 'ok' } } as const;
const RETRY_AFTER_SECONDS = 1;
const CHECK_TIMEOUT_MS = 2000;

/**
 * Registers `/healthz`, which always succeeds, and `/readyz`, which returns 503 `http.not-ready` while `check` fails or the
 * process is shutting down. A gauge contains the result of the same check at the time of the scrape.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const check = () => within(CHECK_TIMEOUT_MS, options.check);
  let isReady = true;
  options.metrics.gauge({
    name: 'gatehouse_ready',
    help: '1 if /readyz responds with 200, otherwise 0.',
    read: async () =>
      options.isDraining()
        ? 0
        : check()
            .then(() => 1)
            .catch(() => 0),
    timeoutMs: 2 * CHECK_TIMEOUT_MS,
  });
  route(app, health, {
    caller: anyone,
    handle: () => OK,
  });
  route(app, readiness, {
    caller: anyone,
    handle: async ({ request }) => {
      if (options.isDraining()) throw notReady('The service is shutting down.');
      try {
        await check();
      } catch (error) {
        isReady = false;
        request.server.log.warn({ err: error }, 'not ready');
        throw notReady('The service is not ready; retry later.');
      }
      if (!isReady) request.server.log.info('ready again');
      isReady = true;
      return OK;
    },
  });
}

async function within(ms: number, work: () => void | Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no response within ${ms} ms`)), ms);
  try {
    await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function notReady(message: string): ApiError {
  return unavailable('http.not-ready', message, RETRY_AFTER_SECONDS);
}
