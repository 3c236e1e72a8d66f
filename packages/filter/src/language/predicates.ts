import { connectives } from './ast.ts';
import type { Filter } from './filter.ts';
import { isPlainObject } from './json.ts';
import { parse } from './parse.ts';

/** One operator on one field, or one `search`, with its place in the filter. */
export interface Predicate {
  /** JSON pointer (RFC 6901) from the root of the filter, such as `/and/0/price/gt`. */
  readonly pointer: string;
  /** The predicate as a filter of its own. */
  readonly filter: Filter;
}

/**
 * Returns the predicates of a filter in the order of its members.
 *
 * @param json a value that `parse` accepts.
 * @throws {TypeError} if `parse` would reject the value.
 * @example
 *   predicatesOf({ not: { price: { gt: 5 } } }); // [{ pointer: '/not/price/gt', filter: … }]
 */
export function predicatesOf(json: unknown): readonly Predicate[] {
  return [...predicatesAt(json, '')];
}

function* predicatesAt(json: unknown, pointer: string): Generator<Predicate> {
  for (const [name, value] of Object.entries(objectOf(json, pointer))) {
    const at = `${pointer}/${escaped(name)}`;
    switch (connectives.find((known) => known === name)) {
      case 'and':
      case 'or':
        for (const [index, member] of arrayOf(value, at).entries())
          yield* predicatesAt(member, `${at}/${index}`);
        break;
      case 'not':
        yield* predicatesAt(value, at);
        break;
      case 'search':
        yield { pointer: at, filter: parsed({ search: value }, at) };
        break;
      default:
        yield* predicatesOfField(name, value, at);
    }
  }
}

function* predicatesOfField(name: string, value: unknown, pointer: string): Generator<Predicate> {
  // A computed name makes `__proto__` an own property.
  if (value === null) yield { pointer, filter: parsed({ [name]: null }, pointer) };
  else
    for (const [operator, operand] of Object.entries(objectOf(value, pointer))) {
      const at = `${pointer}/${operator}`;
      yield { pointer: at, filter: parsed({ [name]: { [operator]: operand } }, at) };
    }
}

function parsed(json: unknown, pointer: string): Filter {
  const result = parse(json);
  if (!result.ok) throw invalid(pointer);
  return result.filter;
}

function objectOf(json: unknown, pointer: string): object {
  if (!isPlainObject(json)) throw invalid(pointer);
  return json;
}

function arrayOf(json: unknown, pointer: string): readonly unknown[] {
  if (!Array.isArray(json)) throw invalid(pointer);
  return json;
}

function invalid(pointer: string): TypeError {
  return new TypeError(`the filter is invalid at ${JSON.stringify(pointer)}`);
}

/** Escapes a name for a JSON pointer. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
