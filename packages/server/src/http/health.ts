import { ApiError, health, readiness } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { anyone, route } from './route.ts';

export interface HealthOptions {
  /** Throws or rejects when requests cannot be served, such as when the storage cannot be read. */
  readonly check: () => void | Promise<void>;
  /** Whether the process is shutting down: it finishes what it has and wants nothing new. */
  readonly isDraining: () => boolean;
}

const OK = { status: 200, body: { status: 'ok' } } as const;
const RETRY_AFTER_SECONDS = 1;

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
        await options.check();
      } catch (error) {
        request.server.log.warn({ requestId: request.id, err: error }, 'not ready');
        throw notReady('The service is not ready; try again soon.');
      }
      return OK;
    },
  });
}

function notReady(message: string): ApiError {
  return new ApiError({
    status: 503,
    code: 'http.not-ready',
    message,
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}
