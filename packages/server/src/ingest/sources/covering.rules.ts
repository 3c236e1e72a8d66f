import type { SourceMatch } from '@gatehouse/contract';

/** A registered `source`, and which events it is about. */
export interface Registered {
  readonly source: string;
  readonly match: SourceMatch;
}

/** More of these in a prefix would make it costly to find those that cover a `source`. */
export const MAX_BOUNDARIES = 32;

/** `scheme://authority` of a URI with an authority. */
const AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * What is wrong with a registered prefix; null when nothing is. A prefix has a scheme and goes on
 * behind it: with `//`, a whole host; else at least one character that is no boundary.
 */
export function prefixFault(prefix: string): string | null {
  const authority = AUTHORITY.exec(prefix)?.[0];
  const scheme = SCHEME.exec(prefix)?.[0];
  const behind = scheme === undefined ? '' : prefix.slice(scheme.length);
  if (authority === undefined ? !/[^:/?#]/.test(behind) : authority.endsWith('//'))
    return 'must go beyond its scheme as a prefix, such as https://shop.example/ or urn:shop:';
  if (boundaryCount(prefix) > MAX_BOUNDARIES)
    return `must have at most ${MAX_BOUNDARIES} of / : ? # as a prefix`;
  return null;
}

/**
 * All prefixes that cover an event's `source` when they are registered, the longest first; itself is
 * the first. A prefix ends at a boundary: behind `/`, `?` or `#`, or right before one, and behind or
 * before `:` as well in a URI without an authority. Boundaries inside `scheme://authority` are none,
 * so that neither `https://a.example.evil` nor `https://a.example:8443` nor `https://a.example@evil`
 * begins with `https://a.example`. Nothing is resolved, decoded or folded: a `source` is a name.
 */
export function prefixesOf(source: string): string[] {
  const prefixes = new Set([source]);
  const authority = AUTHORITY.exec(source)?.[0];
  const boundaries = authority === undefined ? /[:/?#]/g : /[/?#]/g;
  boundaries.lastIndex = authority?.length ?? SCHEME.exec(source)?.[0].length ?? 0;
  for (let count = 0; count <= MAX_BOUNDARIES; count++) {
    const found = boundaries.exec(source);
    if (found === null) break;
    prefixes.add(source.slice(0, found.index)).add(source.slice(0, found.index + 1));
  }
  return [...prefixes].sort((one, other) => other.length - one.length);
}

function boundaryCount(prefix: string): number {
  const authority = AUTHORITY.exec(prefix)?.[0].length ?? 0;
  return prefix.slice(authority).match(/[:/?#]/g)?.length ?? 0;
}
