import type { LinkState } from '@gatehouse/contract';

/** What decides a link's state. */
export interface Lifetime {
  /** Unix seconds, may have a fraction. */
  readonly exp: number;
  /** Unix milliseconds; null when it was never revoked. */
  readonly revokedAt: number | null;
}

/**
 *   active ──at `exp`──▶ expired
 *   active ──revoked───▶ revoked
 *
 * Both are final, so that a link stays expired when it is revoked after its `exp`.
 *
 * @param now Unix milliseconds.
 */
export function stateOf({ exp, revokedAt }: Lifetime, now: number): LinkState {
  const end = exp * 1000;
  if (revokedAt !== null && revokedAt < end) return 'revoked';
  // Revoked late is expired even for a clock that was set back.
  return now >= end || revokedAt !== null ? 'expired' : 'active';
}
