/** A cookie of this service. It is sent only to the host that set it. */
export interface Cookie {
  /** Name without the prefix `__Host-`. */
  readonly name: string;
  /** The URL that clients use. With `https:`, the cookie has the prefix `__Host-` and is sent only with TLS. */
  readonly baseUrl: string;
}

export interface CookieAttributes {
  /** Lifetime. 0 removes the cookie. */
  readonly seconds: number;
  readonly sameSite: 'Lax' | 'Strict';
}

/**
 * Returns a `Set-Cookie` header (RFC 6265, section 4.1). With `__Host-`, no other host of the domain can set or read the cookie.
 */
export function setCookie(
  value: string,
  { name, baseUrl }: Cookie,
  { seconds, sameSite }: CookieAttributes,
): string {
  const secure = isSecure(baseUrl) ? '; Secure' : '';
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`;
  return `${fullName({ name, baseUrl })}=${value}; ${attributes}`;
}

/** Returns the value of the cookie in a `Cookie` header, or an empty string. */
export function readCookie(header: string | undefined, cookie: Cookie): string {
  const prefix = `${fullName(cookie)}=`;
  const pair = (header ?? '').split(';').find((part) => part.trimStart().startsWith(prefix));
  return pair?.trim().slice(prefix.length) ?? '';
}

function fullName({ name, baseUrl }: Cookie): string {
  return isSecure(baseUrl) ? `__Host-${name}` : name;
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}
