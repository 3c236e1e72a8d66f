import type { JwtPayload } from '@gatehouse/contract';
import { all, type Filter, matchAll, parse } from '@gatehouse/filter';

export interface LinkFilters {
  /** Limits the documents that the user may see. */
  readonly permissionFilter: Filter;
  /** Narrows the permitted documents further. */
  readonly filter: Filter;
}

type Claims = Pick<JwtPayload, 'permissionFilter' | 'filter'>;

/**
 * Returns the two filters of a link's payload. A missing filter matches all documents.
 *
 * @throws Error if the permission filter cannot be parsed. The caller must then deny access. The filter was valid when the link
 *   was created, so the failure is a server error.
 */
export function filtersOf({ permissionFilter, filter }: Claims): LinkFilters {
  return {
    permissionFilter:
      permissionFilter === undefined ? matchAll : parsePermissionFilter(permissionFilter),
    filter: filter === undefined ? matchAll : parseFilter(filter),
  };
}

function parsePermissionFilter(json: unknown): Filter {
  const result = parse(json);
  if (!result.ok) throw new Error('The stored permission filter of a link cannot be parsed.');
  return result.filter;
}

/** Ignores a member that is neither in the filter language nor a plain value or list. */
function parseFilter(members: Readonly<Record<string, unknown>>): Filter {
  return all(...Object.entries(members).flatMap(([name, value]) => parseMember(name, value)));
}

function parseMember(name: string, value: unknown): readonly Filter[] {
  for (const predicate of [value, { [Array.isArray(value) ? 'in' : 'eq']: value }]) {
    // A computed name makes `__proto__` an own property.
    const result = parse({ [name]: predicate });
    if (result.ok) return [result.filter];
  }
  return [];
}
