import { hash } from 'node:crypto';
import type { KeyGuard } from './derived-secret.repository.ts';

/** Time for which a response is replayed. */
export const REPLAY_MS = 24 * 3_600_000;

/** A token that is derived from a request's API key and `Idempotency-Key`, instead of being stored with the response. */
export interface DerivedToken {
  /** 256 bits, base64url. */
  readonly token: string;
  /** Identifies the request. */
  readonly requestHash: string;
  readonly guard: KeyGuard;
}

export interface KeyOfRequest {
  readonly caller: string;
  readonly apiKey: string;
  readonly keyHash: string;
  /** The `Idempotency-Key`. */
  readonly key: string;
}

export interface Tokens {
  readonly current: string;
  readonly previous: string;
  readonly guard: KeyGuard;
}

/**
 * Returns the tokens that the requests with one key get today and got yesterday. A key can be used again after 24 hours and then
 * gets a token of another day.
 *
 * @param keyedHash a hash with a key that is derived from the installation's secret.
 */
export function tokensOf(
  { caller, apiKey, keyHash, key }: KeyOfRequest,
  keyedHash: (...parts: readonly string[]) => string,
  now: number,
): Tokens {
  const day = Math.floor(now / REPLAY_MS);
  // The API key is not stored, so the stored data and the installation's secret do not suffice to derive a token.
  const current = keyedHash('token', apiKey, key, String(day));
  const previous = keyedHash('token', apiKey, key, String(day - 1));
  const guard = {
    caller,
    keyHash,
    tokenHash: hash('sha256', current),
    previousTokenHash: hash('sha256', previous),
    now,
    since: now - REPLAY_MS,
  };
  return { current, previous, guard };
}
