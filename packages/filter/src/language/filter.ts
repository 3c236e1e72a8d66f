import type { Comparison, Field, FilterNode } from './ast.ts';
import type { JsonObject, JsonValue } from './json.ts';

declare const validated: unique symbol;

/** A validated, deeply frozen filter. Only `parse`, `all` and `indexedPart` create filters. */
export type Filter = FilterNode & { readonly [validated]: true };

/** Marks a validated tree as a `Filter`. Call this function only for a new filter, or a tree of parts of existing filters. */
export function seal(node: FilterNode): Filter {
  freeze(node);
  return node as Filter;
}

/** The filter `{}`, which matches every record. */
export const matchAll: Filter = seal({ kind: 'and', members: [] });

/**
 * Returns the conjunction of filters. Without arguments, returns `matchAll`. Never fails: the limits of `parse` apply
 * to each filter, not to the result. Nested `and`s are flattened, so the result is at most one level deeper than the
 * deepest filter, even after repeated calls.
 *
 * @example
 *   const scope = all(spaceFilter, linkFilter, requestFilter);
 */
export function all(...filters: readonly Filter[]): Filter {
  const members = filters.flatMap(conjuncts);
  const [only] = members;
  return seal(members.length === 1 && only !== undefined ? only : { kind: 'and', members });
}

/**
 * Returns the canonical JSON of a filter: one member per object, one operator per predicate, every `and` explicit, and
 * `{}` for `matchAll`. Parsing the result returns an equal filter, unless a filter from `all` exceeds the limits of
 * `parse`.
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
      // A computed key creates an own property, even for `__proto__`.
      return { [fieldName(filter.field)]: { [filter.kind]: operand(filter) } };
  }
}

/** Returns the name of a field as written in a filter: a document field, or metadata keys joined with dots. */
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
