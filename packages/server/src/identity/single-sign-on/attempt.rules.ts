import { randomBytes } from 'node:crypto';
import type { Sealer } from '../../platform/secrets/index.ts';
import type { Challenge } from './open-id-provider.ts';

/** A sign-in in progress. The browser stores the attempt in an encrypted cookie. */
export interface Attempt extends Challenge {
  readonly returnTo: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export const ATTEMPT_SECONDS = 600;
export const CODE_SECONDS = 60;

const CONTEXT = 'attempt';
const RANDOM_BYTES = 32;

export function createAttempt(returnTo: string, now: number): Attempt {
  return {
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    returnTo,
    expiresAt: now + ATTEMPT_SECONDS * 1000,
  };
}

/** Returns 256 random bits in base64url. */
export function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

export function sealAttempt(sealer: Sealer, attempt: Attempt): string {
  return sealer.seal(JSON.stringify(attempt), CONTEXT);
}

/** Returns `null` if this installation did not seal the attempt, or if the attempt has expired. */
export function openAttempt(sealer: Sealer, sealed: string, now: number): Attempt | null {
  const text = sealer.open(sealed, CONTEXT);
  if (text === null) return null;
  const attempt = JSON.parse(text) as Attempt;
  return attempt.expiresAt > now ? attempt : null;
}

/** Name of the cookie that binds a sign-in to the browser. */
export const ATTEMPT_COOKIE = 'gatehouse-sso';
