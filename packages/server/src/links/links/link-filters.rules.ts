import type { JwtPayload } from '@gatehouse/contract';
import { all, type Filter, matchAll, parse } from '@gatehouse/filter';

/** What a link lets its user see, and what of that its assistant looks at. */
export interface LinkFilters {
  readonly permissionFilter: Filter;
  readonly filter: Filter;
}

type Claims = Pick<JwtPayload, 'permissionFilter' | 'filter'>;

/**
 * The two filters of a link's payload, each matching all when the link has none.
 *
 * @throws Error when the permission filter cannot be read. It could when the link was made, so the
 *   fault is ours, and nothing may be seen.
 */
export function filtersOf({ permissionFilter, filter }: Claims): LinkFilters {
  return {
    permissionFilter: permissionFilter === undefined ? matchAll : readPermission(permissionFilter),
    filter: filter === undefined ? matchAll : readNarrowing(filter),
  };
}

function readPermission(json: unknown): Filter {
  const result = parse(json);
  if (!result.ok) throw new Error('the permission filter of a link cannot be read any more');
  return result.filter;
}

/** A member that is neither of the filter language nor a plain value or list narrows nothing. */
function readNarrowing(members: Readonly<Record<string, unknown>>): Filter {
  return all(...Object.entries(members).flatMap(([name, value]) => readMember(name, value)));
}

function readMember(name: string, value: unknown): readonly Filter[] {
  for (const predicate of [value, { [Array.isArray(value) ? 'in' : 'eq']: value }]) {
    const result = parse(single(name, predicate));
    if (result.ok) return [result.filter];
  }
  return [];
}

/** An object with one member, whatever its name: `{ [name]: … }` keeps `__proto__` an own one. */
function single(name: string, value: unknown): object {
  return { [name]: value };
}
