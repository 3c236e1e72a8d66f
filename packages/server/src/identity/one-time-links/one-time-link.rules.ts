import { randomBytes } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '../../lib/scheduling/index.ts';

export type LinkPurpose = 'setup' | 'invitation' | 'reset' | 'sign-in';

const TOKEN_BYTES = 32;

/** Validity of a link in milliseconds. */
export const VALID_MS: Readonly<Record<LinkPurpose, number>> = {
  setup: DAY_MS,
  invitation: 7 * DAY_MS,
  reset: DAY_MS,
  'sign-in': 5 * MINUTE_MS,
};

/** Milliseconds after its expiry during which a link is still recognised, so that its redemption gets 410 instead of 401. */
export const RECOGNISED_MS = 30 * DAY_MS;

/** Returns a new token: 256 random bits in base64url, 43 characters. */
export function newLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the URL of a link. Browsers do not send the fragment, so no server or proxy logs the token. */
export function linkUrl(baseUrl: string, purpose: LinkPurpose, token: string): string {
  return `${baseUrl}/console#${purpose}=${token}`;
}

export interface LinkTimes {
  /** Unix milliseconds. */
  readonly expires_at: number;
  /** Unix milliseconds. Null unless the link was used, replaced or withdrawn. */
  readonly ended_at: number | null;
}

export function isGone({ expires_at, ended_at }: LinkTimes, now: number): boolean {
  return ended_at !== null || expires_at <= now;
}
