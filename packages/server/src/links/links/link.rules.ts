import { type Issue, type LinkRequest, type LinkState, TTL_SECONDS } from '@gatehouse/contract';

/**
 * Returns the expiry of a link: the requested `exp`, or `ttlSeconds` from now. The default of `ttlSeconds` is one hour.
 *
 * @param now Unix milliseconds.
 * @returns Unix seconds.
 */
export function expiryOf(
  { exp, ttlSeconds }: Pick<LinkRequest, 'exp' | 'ttlSeconds'>,
  now: number,
) {
  return exp ?? Math.floor(now / 1000) + (ttlSeconds ?? TTL_SECONDS.default);
}

/** PostgreSQL multiplies the expiry by 1,000 to compare it with times, and rejects a product that is not finite. */
const MAX_STORED_EXPIRY = 1e300;

/** Returns the expiry to store. The payload contains the exact number. */
export function storedExpiry(exp: number): number {
  return Math.min(exp, MAX_STORED_EXPIRY);
}

/** Returns an issue if `exp` is not in the future. The schema reports values of the wrong type. */
export function expiryIssues(exp: unknown, now: number): Issue[] {
  if (typeof exp !== 'number' || !Number.isFinite(exp) || exp > now / 1000) return [];
  const seconds = Math.floor(now / 1000);
  return [
    {
      message: `exp: must be a time in the future, in Unix seconds; the current time is ${seconds} (${new Date(now).toISOString()})`,
    },
  ];
}

export interface Lifetime {
  /** Unix seconds, possibly with a fraction. */
  readonly exp: number;
  /** Unix milliseconds, or null if the link was not revoked. */
  readonly revokedAt: number | null;
}

/**
 * Returns the state of a link.
 *
 *   active ──at `exp`──▶ expired
 *   active ──revoked───▶ revoked
 *
 * Both are final: a link that is revoked after its `exp` stays expired.
 *
 * @param now Unix milliseconds.
 */
export function stateOf({ exp, revokedAt }: Lifetime, now: number): LinkState {
  const end = exp * 1000;
  if (revokedAt !== null && revokedAt < end) return 'revoked';
  // A link revoked after its `exp` stays expired even if the clock is set back.
  return now >= end || revokedAt !== null ? 'expired' : 'active';
}
