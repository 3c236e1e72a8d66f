import type { Issue } from '@gatehouse/contract';
import { type Filter, matchAll, parse as parseFilter } from '@gatehouse/filter';
import { parse } from '../json/index.ts';

/**
 * Returns the problems of the member `permissionFilter` of a request. Values that are not objects are skipped, because the schema
 * reports them.
 */
export function permissionFilterIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const filter = body['permissionFilter'];
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return [];
  const result = parseFilter(filter);
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
