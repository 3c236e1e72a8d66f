/** `typ` of a session token, so that no other token that its key may ever sign passes for one. */
export const SESSION_TYPE = 'gatehouse-session+jwt';
export const SESSION_ALGORITHM = 'EdDSA';
export const SESSION_AUDIENCE = 'gatehouse';
export const SESSION_SECONDS = 900;

export interface SessionTimes {
  /** Claim `iat`, Unix seconds. */
  readonly iat: number;
  /** Claim `exp`, Unix seconds. */
  readonly exp: number;
  /** Whole seconds from now; 0 in the last second of a link. */
  readonly expiresIn: number;
}

/**
 * How long a session lives: 15 minutes, but never past its link. Rounded down where a link ends
 * within a second.
 *
 * @param linkExp Unix seconds, in the future.
 * @param now Unix milliseconds.
 */
export function sessionTimes(linkExp: number, now: number): SessionTimes {
  const iat = Math.floor(now / 1000);
  const left = Math.max(0, Math.floor(linkExp - now / 1000));
  const expiresIn = Math.min(SESSION_SECONDS, left);
  return { iat, exp: iat + expiresIn, expiresIn };
}
