import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { ApiError, Operation } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../../lib/scheduling/index.ts';
import type { RateCounts } from '../../storage/ports/index.ts';
import { secondsText, tooMany } from '../api-errors.ts';

/**
 * Returns route options that limit the requests per client address. Above the limit, the response is 429. If the counters are
 * unavailable, the response is 503.
 *
 * @param perMinute maximum requests per minute. 0: no limit.
 */
export function limitByAddress({ path }: Pick<Operation, 'path'>, perMinute: number) {
  if (perMinute === 0) return {};
  // `groupId` is appended to the counter's key, so each operation has its own counters.
  const rateLimit = { max: perMinute, timeWindow: MINUTE_MS, groupId: ` ${path}` };
  return { config: { rateLimit } };
}

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
  return tooMany(
    'http.too-many-requests',
    `Too many requests from this address; retry in ${secondsText(seconds)}.`,
    seconds,
  );
}
