import type { FastifyRequest } from 'fastify';
import { otherOrigin, tlsRequired } from './access.errors.ts';
import { readCookie, setCookie } from './cookies.rules.ts';

type Request = Pick<FastifyRequest, 'headers' | 'method' | 'routeOptions' | 'server'>;

const NAME = 'gatehouse';
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
/** Values of `Sec-Fetch-Site` for pages of this service and for requests of the user, such as a typed address. */
const OWN_SITES: readonly unknown[] = ['same-origin', 'none', undefined];

/**
 * Returns the text whose hash identifies a console session. The space ensures that no `Authorization` header contains this text, so the
 * value of the cookie is useless outside the cookie, and a session token is useless in the cookie.
 */
export function consoleToken(cookieValue: string): string {
  return `console ${cookieValue}`;
}

/**
 * Returns the token of the console session in a request's cookie, or null. Throws 403 if the request may come from a page of another
 * origin: browsers send cookies without the consent of the user. Routes that answer pages on other origins ignore the cookie instead,
 * unless the browser confirms that a page of this service sent the request.
 *
 * @param baseUrl the URL that clients use.
 */
export function readConsoleToken(request: Request, baseUrl: string): string | null {
  const { headers, routeOptions, server } = request;
  if (headers.cookie === undefined) return null;
  if (server.crossOriginPaths.has(routeOptions.url ?? '') && !isReadByOwnPage(request, baseUrl))
    return null;
  const value = readCookie(headers.cookie, { name: NAME, baseUrl });
  if (value === '') return null;
  rejectOtherOrigin(request, baseUrl);
  return consoleToken(value);
}

/**
 * Throws 403 if the request may come from a page of another origin. A request that can change data needs an `Origin` header
 * (https://fetch.spec.whatwg.org/#origin-header). Other requests are rejected if `Sec-Fetch-Site` names another site.
 */
export function rejectOtherOrigin({ headers, method }: Request, baseUrl: string): void {
  const isRead = method === 'GET' || method === 'HEAD';
  const isOwn =
    isRead && headers.origin === undefined
      ? OWN_SITES.includes(headers['sec-fetch-site'])
      : headers.origin === baseUrl;
  if (!isOwn) throw otherOrigin(baseUrl);
}

/**
 * Reports whether the browser confirms that a page of this service sent a read. Pages cannot set `Sec-Fetch-Site`
 * (https://www.w3.org/TR/fetch-metadata/), so its absence is not accepted here.
 */
function isReadByOwnPage({ headers, method }: Request, baseUrl: string): boolean {
  const { origin } = headers;
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-site'] === 'same-origin' &&
    (origin === undefined || origin === baseUrl)
  );
}

/** Returns the `Set-Cookie` header of a console session. */
export function setConsoleCookie(value: string, baseUrl: string, seconds: number): string {
  return setCookie(value, { name: NAME, baseUrl }, { seconds, sameSite: 'Strict' });
}

/** Throws 403 if the cookie of a console session would be sent without TLS to another machine. */
export function requireTls(baseUrl: string): void {
  if (!baseUrl.startsWith('https:') && !LOOPBACK.test(baseUrl)) throw tlsRequired();
}
