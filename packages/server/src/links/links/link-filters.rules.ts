import type { JwtPayload } from '@gatehouse/contract';
import {
  all,
  connectives,
  type Filter,
  matchAll,
  type Predicate,
  parse,
  predicatesOf,
} from '@gatehouse/filter';
import { parseSpaceFilter } from '../../lib/filters/index.ts';
import { parse as parseJson } from '../../lib/json/index.ts';

export interface LinkFilters {
  /** Limits the documents that any link of the space may show. */
  readonly spaceFilter: Filter;
  /** The JSON text of `spaceFilter`. It differs after a change of the filter. `null`: the space has no filter. */
  readonly storedSpaceFilter: string | null;
  /** Limits the documents that the user may see. */
  readonly permissionFilter: Filter;
  /** Narrows the permitted documents further. */
  readonly filter: Filter;
}

export type FilterClaims = Pick<JwtPayload, 'permissionFilter' | 'filter'>;

/**
 * Returns the filters that apply to a link: the space's filter and the two filters of the link's payload. A missing filter
 * matches all documents.
 *
 * @param storedSpaceFilter JSON text, or `null` if the space has no filter.
 * @throws Error if the space's filter or the permission filter cannot be parsed. The caller must then deny access. The filter was
 *   valid when it was stored, so the failure is a server error.
 */
export function filtersOf(
  { permissionFilter, filter }: FilterClaims,
  storedSpaceFilter: string | null,
): LinkFilters {
  return {
    spaceFilter: parseSpaceFilter(storedSpaceFilter),
    storedSpaceFilter,
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
  for (const predicate of [value, ...plainPredicate(name, value)]) {
    // A computed name makes `__proto__` an own property.
    const result = parse({ [name]: predicate });
    if (result.ok) return [result.filter];
  }
  return [];
}

/** Returns the predicate of a plain value or list. Connectives such as `not` have none, because no field has their names. */
function plainPredicate(name: string, value: unknown): readonly object[] {
  if (connectives.some((known) => known === name)) return [];
  return [{ [Array.isArray(value) ? 'in' : 'eq']: value }];
}

/**
 * Returns the predicates of a link's filters in the order of evaluation: the filter of the space, `permissionFilter`, `filter`. Each
 * pointer starts with the name of the filter, such as `/spaceFilter/team/eq`.
 */
export function linkPredicates(
  { permissionFilter, filter }: FilterClaims,
  storedSpaceFilter: string | null,
): readonly Predicate[] {
  const within = (name: string, json: unknown) =>
    predicatesOf(json).map((one) => ({ ...one, pointer: `/${name}${one.pointer}` }));
  return [
    ...(storedSpaceFilter === null ? [] : within('spaceFilter', parseJson(storedSpaceFilter))),
    ...(permissionFilter === undefined ? [] : within('permissionFilter', permissionFilter)),
    ...Object.entries(filter ?? {}).flatMap(([name, value]) => memberPredicates(name, value)),
  ];
}

function memberPredicates(name: string, value: unknown): readonly Predicate[] {
  if (parse({ [name]: value }).ok)
    return predicatesOf({ [name]: value }).map((one) => ({
      ...one,
      pointer: `/filter${one.pointer}`,
    }));
  // The pointer of a plain value ends with the name of the field, because the request contains no operator.
  return parseMember(name, value).map((only) => ({ filter: only, pointer: memberPointer(name) }));
}

function memberPointer(name: string): string {
  return `/filter/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
