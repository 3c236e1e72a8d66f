import type { FilterNode } from './ast.ts';

declare const checked: unique symbol;

/** A filter that has been checked. Only `parse` and the combinators make one; it is frozen throughout. */
export type Filter = FilterNode & { readonly [checked]: true };

/** Makes a checked tree a `Filter`. Inside this package only: it is the parser's stamp. */
export function seal(node: FilterNode): Filter {
  freeze(node);
  return node as Filter;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
