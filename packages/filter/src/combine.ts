import type { FilterNode } from './ast.ts';
import { type Filter, seal } from './filter.ts';

/** The filter `{}`: every record. */
export const matchAll: Filter = seal({ kind: 'and', members: [] });

/**
 * The filter that holds when all the given ones hold; `all()` is `matchAll`. It never fails: what was
 * checked stays checked, and the limits of `parse` bound each part, not the whole. Nested `and`s are
 * joined, so the result is at most one level deeper than its deepest part, however often it is applied.
 */
export function all(...filters: readonly Filter[]): Filter {
  const members = filters.flatMap(conjuncts);
  const [only] = members;
  return seal(members.length === 1 && only !== undefined ? only : { kind: 'and', members });
}

function conjuncts(node: FilterNode): readonly FilterNode[] {
  return node.kind === 'and' ? node.members : [node];
}
