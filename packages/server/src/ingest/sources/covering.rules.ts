import { MAX_SOURCE_LENGTH, type SourceMatch } from '@gatehouse/contract';
import { SCHEME } from '../validation/uri.rules.ts';

export interface Registered {
  readonly source: string;
  readonly match: SourceMatch;
}

/** Maximum number of boundary characters in a prefix. With `MAX_SOURCE_LENGTH`, it bounds the cost of finding the prefixes that cover a `source`. */
export const MAX_BOUNDARIES = 32;

const AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/;

/**
 * Returns the problem with a prefix, or `null` if it is valid. A prefix with `//` must have a host. Any other prefix
 * must have at least one character after its scheme that is not a boundary.
 */
export function prefixProblem(prefix: string): string | null {
  const authority = AUTHORITY.exec(prefix)?.[0];
  const scheme = SCHEME.exec(prefix)?.[0];
  const rest = scheme === undefined ? '' : prefix.slice(scheme.length);
  if (authority === undefined ? !/[^:/?#]/.test(rest) : authority.endsWith('//'))
    return 'must not consist of a scheme only; use a prefix such as https://shop.example/ or urn:shop:';
  if (boundaryCount(prefix) > MAX_BOUNDARIES)
    return `must have at most ${MAX_BOUNDARIES} of the characters / : ? # in a prefix`;
  return null;
}

/**
 * Returns all names that a registered source which covers a `source` can have, from longest to shortest: the `source` itself and its
 * prefixes, without those that are too long to be registered.
 *
 * A prefix ends directly before or after a boundary character: `/`, `?` or `#`, and also `:` in a URI without an
 * authority. Characters inside `scheme://authority` are not boundaries, so the prefix `https://a.example` covers
 * neither `https://a.example.evil` nor `https://a.example:8443` nor `https://a.example@evil`. Sources are compared as
 * plain strings, without decoding or normalisation.
 *
 * @example
 * prefixesOf('urn:shop:orders'); // ['urn:shop:orders', 'urn:shop:', 'urn:shop']
 */
export function prefixesOf(source: string): string[] {
  const prefixes = new Set(source.length <= MAX_SOURCE_LENGTH ? [source] : []);
  const authority = AUTHORITY.exec(source)?.[0];
  const boundaries = authority === undefined ? /[:/?#]/g : /[/?#]/g;
  boundaries.lastIndex = authority?.length ?? SCHEME.exec(source)?.[0].length ?? 0;
  for (let count = 0; count <= MAX_BOUNDARIES; count++) {
    const found = boundaries.exec(source);
    if (found === null || found.index >= MAX_SOURCE_LENGTH) break;
    prefixes.add(source.slice(0, found.index)).add(source.slice(0, found.index + 1));
  }
  return [...prefixes].sort((one, other) => other.length - one.length);
}

function boundaryCount(prefix: string): number {
  const authority = AUTHORITY.exec(prefix)?.[0].length ?? 0;
  return prefix.slice(authority).match(/[:/?#]/g)?.length ?? 0;
}
