import { ApiError, health, readiness } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from '../route.ts';

export interface HealthOptions {
  /** Throws or rejects when requests cannot be served, such as when the storage cannot be read. */
  readonly check: () => void | Promise<void>;
  /** Whether the process is shutting down: it finishes what it has and wants nothing new. */
  readonly isDraining: () => boolean;
}

const OK = { status: 200, body: { status: 'ok' } } as const;
const RETRY_AFTER_SECONDS = 1;
const CHECK_WITHIN_MS = 2000;

/**
 * Serves `/healthz`, which only says that the process answers, and `/readyz`, for whoever decides
 * where to send requests: 503 `http.not-ready` while `check` fails or the process is shutting down.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  route(app, health, {
    caller: anyone,
    handle: () => OK,
  });
  route(app, readiness, {
    caller: anyone,
    handle: async ({ request }) => {
      if (options.isDraining()) throw notReady('The service is shutting down.');
      try {
        await within(CHECK_WITHIN_MS, options.check());
      } catch (error) {
        request.server.log.warn({ requestId: request.id, err: error }, 'not ready');
        throw notReady('The service is not ready; try again soon.');
      }
      return OK;
    },
  });
}

/** Whoever asks gives up soon: an answer that comes too late is none. */
async function within(ms: number, work: void | Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function notReady(message: string): ApiError {
  return new ApiError({
    status: 503,
    code: 'http.not-ready',
    message,
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}
