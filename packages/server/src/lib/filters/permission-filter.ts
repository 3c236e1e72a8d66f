import type { Issue } from '@gatehouse/contract';
import { type Filter, matchAll, type ParseResult, parse as parseFilter } from '@gatehouse/filter';
import { parse } from '../json/index.ts';

/** Results by the object of the filter. Parsing a filter takes about a tenth of the time in which its link is created. */
const results = new WeakMap<object, ParseResult>();

/** Parses the filter of a request, at most once. The filter must not change afterwards. */
export function parseRequestFilter(filter: object): ParseResult {
  const known = results.get(filter);
  if (known !== undefined) return known;
  const result = parseFilter(filter);
  results.set(filter, result);
  return result;
}

/**
 * Returns the problems of the member `permissionFilter` of a request. Values that are not objects are skipped, because the schema
 * reports them.
 */
export function permissionFilterIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const filter = body['permissionFilter'];
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return [];
  const result = parseRequestFilter(filter);
  if (result.ok) return [];
  return result.problems.map(({ path, message }) => ({
    message: `${path === '' ? 'permissionFilter' : `permissionFilter.${path}`}: ${message}`,
  }));
}

/**
 * Parses the stored filter of a space.
 *
 * @param text JSON text, or `null` if the space has no filter.
 * @throws Error if the filter cannot be parsed. The caller must then deny access.
 */
export function parseSpaceFilter(text: string | null): Filter {
  if (text === null) return matchAll;
  const result = parseFilter(parse(text));
  if (!result.ok) throw new Error('The stored permission filter of a space cannot be parsed.');
  return result.filter;
}
