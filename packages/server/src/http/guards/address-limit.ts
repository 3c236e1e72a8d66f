import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import { ApiError, type Operation } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import type { RateCounts } from '../../storage/ports/index.ts';

const MINUTE_MS = 60_000;

/**
 * A route's options that limit how often one address may call it: 429 beyond that, and 503 when it cannot be
 * known how often it did.
 *
 * @param perMinute 0: no limit.
 */
export function limitByAddress({ path }: Pick<Operation, 'path'>, perMinute: number) {
  if (perMinute === 0) return {};
  // The group stands behind the address in a key: each operation counts by itself.
  const rateLimit = { max: perMinute, timeWindow: MINUTE_MS, groupId: ` ${path}` };
  return { config: { rateLimit } };
}

/** Lets `@fastify/rate-limit` count where the service does. */
export function storeOf(rates: RateCounts): FastifyRateLimitStoreCtor {
  return class implements FastifyRateLimitStore {
    incr: FastifyRateLimitStore['incr'] = (key, callback, timeWindow, max) => {
      const rate = { limit: 'requests of an address', key, max };
      rates
        .countInWindow(rate, timeWindow)
        .then(({ count, endsInMs }) => callback(null, { current: count, ttl: endsInMs }), callback);
    };

    child(): FastifyRateLimitStore {
      return this;
    }
  };
}

export function tooManyRequests(_request: FastifyRequest, context: { ttl: number }): ApiError {
  const seconds = Math.max(1, Math.ceil(context.ttl / 1000));
  return new ApiError({
    status: 429,
    code: 'http.too-many-requests',
    message: `Too many requests from this address; try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}
