import { MAX_PAGE_URL_LENGTH } from '@gatehouse/contract';

/** Characters that mean the same with and without percent-encoding (RFC 3986, section 2.3). */
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
/** Canonical forms of the escapes of all bytes. */
const CANONICAL_ESCAPES = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  const hex = byte.toString(16).toUpperCase().padStart(2, '0');
  return UNRESERVED.test(character) ? character : `%${hex}`;
});
/** Parameters that say where a visitor comes from. They do not change the page. */
const TRACKING = /^(?:utm_[^=]*|gclid|fbclid)(?:=|$)/i;
/** Maximum length before escapes are decoded. An escape of three characters becomes at least one. */
const MAX_ENCODED_LENGTH = 3 * MAX_PAGE_URL_LENGTH;

/**
 * Returns the canonical form of an `http` or `https` URL: without fragment and tracking parameters, with decoded unreserved
 * characters and upper-case escapes. Patterns for metadata are applied to this form, so that an encoded path cannot bypass a pattern.
 * Returns null for any other URL, for a URL with credentials, and for a URL that is too long.
 *
 * @param base resolves a relative URL.
 */
export function canonicalUrl(text: string, base?: string): string | null {
  if (text.length > MAX_PAGE_URL_LENGTH) return null;
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '') return null;
  url.hash = '';
  if (url.href.length > MAX_ENCODED_LENGTH) return null;
  // `URL` keeps an empty query or fragment in `href`.
  const search = url.search === '' ? '' : withoutTracking(normaliseEscapes(url.search));
  const decoded = URL.parse(`${url.origin}${normaliseEscapes(url.pathname)}${search}`);
  if (decoded === null) return null;
  return decoded.href.length > MAX_PAGE_URL_LENGTH ? null : decoded.href;
}

/** @param search a query with its question mark. */
function withoutTracking(search: string): string {
  const parameters = search.slice(1).split('&');
  const kept = parameters.filter((parameter) => !TRACKING.test(parameter));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function normaliseEscapes(text: string): string {
  return text.replace(
    /%[0-9a-f]{2}/gi,
    (encoded) => CANONICAL_ESCAPES[Number.parseInt(encoded.slice(1), 16)] ?? encoded,
  );
}

/** Returns the path and query of a canonical URL, to which patterns are applied. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

/** A segment `.` or `..` that servers resolve if they decode escapes once or several times, or ignore parameters. */
const HIDDEN_DOTS =
  /(?:\/|%(?:25)*(?:2F|5C))(?:\.|%(?:25)+2E){1,2}(?:$|\/|;|%(?:25)*(?:2F|5C|3B))/i;

/**
 * Returns the path and query of a canonical URL as servers read them that decode slashes, ignore parameters (`;v=1`) and merge slashes.
 * Returns null if the path contains a hidden `.` or `..`, whose effect depends on the order of these steps.
 */
export function decodedPathOf(url: string): string | null {
  const { pathname, search } = new URL(url);
  if (HIDDEN_DOTS.test(pathname)) return null;
  const path = pathname
    .replaceAll(/%(?:25)*(?:2F|5C)/gi, '/')
    .replaceAll(/(?:;|%(?:25)*3B)[^/]*/gi, '')
    .replaceAll(/\/{2,}/g, '/');
  return `${path}${search}`;
}

/** Reports whether two URLs have the same host and port. The scheme may differ. */
export function isSameHost(one: string, other: string): boolean {
  return new URL(one).host === new URL(other).host;
}

/** Reports whether a pattern matches an entire path. `*` matches any run of characters. Takes linear time. */
export function matchesPattern(pattern: string, path: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - at >= last.length && path.endsWith(last);
}
