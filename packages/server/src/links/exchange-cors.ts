/** Which web origins may reach a space from a browser. */
export interface AllowedOrigins {
  /** Whether any space names this origin. */
  isAllowedSomewhere(origin: string): Promise<boolean>;
  /** The origins that a space names. */
  allowedOrigins(spaceId: string): Promise<readonly string[]>;
}

export type Headers = Readonly<Record<string, string>>;

/** Said of every answer of the exchange, since what it carries depends on who asks. */
export const VARY: Headers = { vary: 'Origin' };

const PREFLIGHT_SECONDS = 600;

/**
 * The headers of the answer to a preflight (https://fetch.spec.whatwg.org/#http-cors-protocol). The
 * token is in the body that is yet to come, so that the origin is let through when any space names
 * it; the answer itself then asks the link's own space.
 */
export async function preflightHeaders(
  origins: AllowedOrigins,
  origin: string | undefined,
): Promise<Headers> {
  if (origin === undefined || !(await origins.isAllowedSomewhere(origin))) return VARY;
  return {
    ...VARY,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
}

/** The headers that let the page on `origin` read an answer about a link of this space, if it may. */
export async function answerHeaders(
  origins: AllowedOrigins,
  origin: string | undefined,
  spaceId: string,
): Promise<Headers> {
  if (origin === undefined) return VARY;
  const allowed = await origins.allowedOrigins(spaceId);
  return allowed.includes(origin) ? { ...VARY, 'access-control-allow-origin': origin } : VARY;
}
