import type { Comparison, Field, FilterNode } from './ast.ts';
import type { JsonObject, JsonValue } from './json.ts';

/**
 * The canonical JSON of a filter: one member in each object, one operator in each predicate, `and` written
 * out, `{}` for all. Parsing it gives an equal filter, unless `all` has joined more than `parse` accepts.
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
      // A computed key makes an own member, also of `__proto__`.
      return { [fieldName(filter.field)]: { [filter.kind]: operand(filter) } };
  }
}

/** The name by which a filter calls a field: a document field's own, or the metadata keys with dots. */
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
