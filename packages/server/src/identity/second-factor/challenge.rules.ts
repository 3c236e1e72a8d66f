import { randomBytes } from 'node:crypto';
import { MINUTE_MS } from '../../lib/scheduling/index.ts';
import { tokenHash } from '../access/credential.rules.ts';

/** Milliseconds between the two steps of a sign-in. */
const CHALLENGE_MS = 5 * MINUTE_MS;
const TOKEN_BYTES = 32;

/** A challenge to store. */
export interface NewChallenge {
  readonly tokenHash: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** Returns the token of a new challenge: 256 random bits in base64url. Sessions are stored elsewhere, so it is not a valid session token. */
export function newChallengeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function newChallenge(token: string, now: number): NewChallenge {
  return { tokenHash: tokenHash(token), now, expiresAt: now + CHALLENGE_MS };
}

/** Returns the value that binds a challenge to a password. */
export function passwordDigest(passwordHash: string | null): string {
  return tokenHash(passwordHash ?? '');
}
