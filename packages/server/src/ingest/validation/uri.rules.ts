import { isIPv6 } from 'node:net';

const EXAMPLE = 'urn:shop:orders or https://shop.example/orders';

/** Bit flags for the characters of a URI (RFC 3986, section 2). */
const PLAIN = 1;
const HEX = 2;
const KINDS = new Uint8Array(128);
for (const character of "-._~!$&'()*+,;=:@/?") KINDS[character.charCodeAt(0)] = PLAIN;
for (const character of 'ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ')
  KINDS[character.charCodeAt(0)] = PLAIN;
for (const character of '0123456789abcdefABCDEF') KINDS[character.charCodeAt(0)] = PLAIN | HEX;

/** Matches the scheme of a URI (RFC 3986, section 3.1), with its colon. */
export const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const MAX_CACHED_LENGTH = 1000;

/**
 * Creates a function that returns the problem with an absolute URI (RFC 3986, fragments allowed), or `null` if it is
 * valid. The function caches the last valid value because the events of a batch usually share their `source`.
 */
export function createUriCheck(): (value: string) => string | null {
  return withCache(uriProblem);
}

/** Like `createUriCheck`, for a non-empty URI reference, which may be relative (RFC 3986, section 4.1). */
export function createUriReferenceCheck(): (value: string) => string | null {
  return withCache(referenceProblem);
}

function withCache(check: (value: string) => string | null): (value: string) => string | null {
  let lastGood = '';
  return (value) => {
    if (value === lastGood && value !== '') return null;
    const problem = check(value);
    if (problem === null && value.length <= MAX_CACHED_LENGTH) lastGood = value;
    return problem;
  };
}

function uriProblem(value: string): string | null {
  if (value === '') return 'must not be empty';
  const scheme = SCHEME.exec(value);
  if (scheme === null) return `must be an absolute URI with a scheme, such as ${EXAMPLE}`;
  return hierarchyProblem(value, scheme[0].length);
}

function referenceProblem(value: string): string | null {
  if (value === '' || SCHEME.test(value)) return uriProblem(value);
  const length = value.search(/[/?#]/);
  if (value.slice(0, length === -1 ? value.length : length).includes(':'))
    return 'must have a scheme before its first ":", or no ":" before its first "/", "?" or "#"';
  return hierarchyProblem(value, 0);
}

function hierarchyProblem(value: string, schemeEnd: number): string | null {
  let start = schemeEnd;
  if (value.startsWith('//', start)) {
    const length = value.slice(start + 2).search(/[/?#]/);
    const end = length === -1 ? value.length : start + 2 + length;
    const problem = authorityProblem(value, start + 2, end);
    if (problem !== null) return problem;
    start = end;
  }
  const fragment = value.indexOf('#', start);
  if (fragment === -1) return charactersProblem(value, start, value.length);
  return (
    charactersProblem(value, start, fragment) ??
    charactersProblem(value, fragment + 1, value.length)
  );
}

/** `[userinfo "@"] host [":" port]`, RFC 3986, section 3.2. */
function authorityProblem(value: string, start: number, end: number): string | null {
  const authority = value.slice(start, end);
  const host = authority.slice(authority.indexOf('@') + 1);
  if (host.includes('@'))
    return 'must have at most one "@" before its host; write %40 for each other "@"';
  const literal = /^\[([^[\]]*)\](?::[0-9]*)?$/.exec(host);
  if (literal !== null) {
    if (!isIpLiteral(literal[1] ?? '')) return 'must have an IPv6 address between its "[" and "]"';
    return charactersProblem(value, start, end - host.length);
  }
  const problem = charactersProblem(value, start, end);
  if (problem !== null) return problem;
  return /^[^:]*(?::[0-9]*)?$/.test(host) ? null : 'must have a number as its port';
}

function isIpLiteral(text: string): boolean {
  return (
    (/^[0-9a-fA-F:.]+$/.test(text) && isIPv6(text)) ||
    /^[vV][0-9a-fA-F]+\.[-._~!$&'()*+,;=:A-Za-z0-9]+$/.test(text)
  );
}

function charactersProblem(value: string, start: number, end: number): string | null {
  for (let at = start; at < end; at++) {
    const code = value.charCodeAt(at);
    if (code < 128 && KINDS[code] !== 0) continue;
    if (value[at] !== '%') return characterProblem(value, at);
    if (at + 2 >= end || !isHex(value, at + 1) || !isHex(value, at + 2)) {
      return 'must have two hexadecimal digits after each "%"; write %25 for a literal "%"';
    }
    at += 2;
  }
  return null;
}

function isHex(value: string, at: number): boolean {
  return ((KINDS[value.charCodeAt(at)] ?? 0) & HEX) !== 0;
}

function characterProblem(value: string, at: number): string {
  const character = String.fromCodePoint(value.codePointAt(at) ?? 0);
  const place = `at position ${at}`;
  if (/[\p{Cc}\p{Cs}]/u.test(character)) return `must not contain a control character (${place})`;
  const encoded = encodeURIComponent(character);
  if (character === ' ') return `must not contain a space; write ${encoded} (${place})`;
  if (character === '[' || character === ']') {
    return `may contain "[" and "]" only around an IPv6 host; write ${encoded} (${place})`;
  }
  if (character > '~')
    return `must be ASCII; percent-encode the character as ${encoded} (${place})`;
  return `must not contain "${character}"; percent-encode it as ${encoded} (${place})`;
}
