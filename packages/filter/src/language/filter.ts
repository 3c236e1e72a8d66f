import type { Comparison, Field, FilterNode } from './ast.ts';
import type { JsonObject, JsonValue } from './json.ts';

declare const checked: unique symbol;

/** A filter that has been checked. Only `parse` and `all` create one; it is frozen throughout. */
export type Filter = FilterNode & { readonly [checked]: true };

/** Marks a checked tree as a `Filter`. For `parse` and `all` only. */
export function seal(node: FilterNode): Filter {
  freeze(node);
  return node as Filter;
}

/** The filter `{}`, which every record satisfies. */
export const matchAll: Filter = seal({ kind: 'and', members: [] });

/**
 * Returns the filter that holds when all the given filters hold; `all()` is `matchAll`. It never fails: the limits of
 * `parse` apply to each part, not to the result. Nested `and`s are joined, so the result is at most one level deeper
 * than its deepest part, however often it is applied.
 */
export function all(...filters: readonly Filter[]): Filter {
  const members = filters.flatMap(conjuncts);
  const [only] = members;
  return seal(members.length === 1 && only !== undefined ? only : { kind: 'and', members });
}

/**
 * Returns the canonical JSON of a filter: one member per object, one operator per predicate, `and` written out, `{}` for
 * `matchAll`. Parsing it gives an equal filter, unless `all` has joined more than `parse` accepts.
 */
export function print(filter: FilterNode): JsonObject {
  switch (filter.kind) {
    case 'and':
      return filter.members.length === 0 ? {} : { and: filter.members.map(print) };
    case 'or':
      return { or: filter.members.map(print) };
    case 'not':
      return { not: print(filter.member) };
    case 'search':
      return { search: filter.text };
    default:
      // A computed key creates an own member, also for `__proto__`.
      return { [fieldName(filter.field)]: { [filter.kind]: operand(filter) } };
  }
}

/** Returns the name of a field in a filter: a document field's name, or the metadata keys joined with dots. */
export function fieldName(field: Field): string {
  return field.source === 'document' ? field.name : field.path.join('.');
}

function operand(comparison: Comparison): JsonValue {
  switch (comparison.kind) {
    case 'in':
      return comparison.values;
    case 'like':
      return comparison.pattern;
    case 'tp':
      return comparison.type;
    default:
      return comparison.value;
  }
}

function conjuncts(node: FilterNode): readonly FilterNode[] {
  return node.kind === 'and' ? node.members : [node];
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
