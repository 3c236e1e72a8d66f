import type { FilterNode } from './ast.ts';

/**
 * Reports whether a filter matches every record because of its connectives, such as `{}`, `and: []` or `not: { or: [] }`. Other
 * filters may also match every record; this function does not detect them.
 *
 * @example
 *   const result = parse({ and: [{ and: [] }, { not: { kind: { in: [] } } }] });
 *   if (result.ok) matchesEverything(result.filter); // true
 */
export function matchesEverything(filter: FilterNode): boolean {
  return constantOf(filter) === true;
}

/** Returns the result of a filter if it is the same for every record, as far as the connectives show. Otherwise `null`. */
function constantOf(node: FilterNode): boolean | null {
  switch (node.kind) {
    case 'and':
      return combined(node.members, false);
    case 'or':
      return combined(node.members, true);
    case 'not': {
      const member = constantOf(node.member);
      return member === null ? null : !member;
    }
    case 'in':
      return node.values.length === 0 ? false : null;
    default:
      return null;
  }
}

/** @param decisive the result of a member that decides the result: `false` for `and`, `true` for `or`. */
function combined(members: readonly FilterNode[], decisive: boolean): boolean | null {
  const results = members.map(constantOf);
  if (results.includes(decisive)) return decisive;
  return results.includes(null) ? null : !decisive;
}
