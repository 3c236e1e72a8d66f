import type { FieldType } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import { type ColumnDialect, columnSql, emit, type FieldSql, jsonPath } from './emit.ts';
import { type SqlFragment, sql } from './fragment.ts';
import {
  fileNameFolded,
  metadataCollected,
  metadataColumn,
  metadataFolded,
  type SqlLayout,
} from './layout.ts';
import { collectedKeys } from './stored-values.ts';

/**
 * Returns a filter as an SQL condition on a document row, for PostgreSQL 13 or later with UTF-8 encoding. The condition
 * is true if `evaluate` returns `true`, otherwise false, and never NULL. The condition can be an operand of `AND`. All
 * user input is in `values`, which must be bound as text.
 *
 * @throws {TypeError} if a name of the layout is not an identifier.
 */
export function toPostgres(filter: Filter, layout: SqlLayout): SqlFragment {
  return emit(filter, {
    field: (field) =>
      field.source === 'metadata'
        ? metadataSql(layout, field.path)
        : columnSql(dialect, layout, field.name),
    search: (text) => search(layout, text),
  });
}

const dialect: ColumnDialect = {
  inOrder: (text) => sql`${text} COLLATE "C"`,
  isOneOf(text, strings) {
    const [first, second] = strings;
    return first !== undefined && second === undefined
      ? sql`${text} = ${first}::text`
      : isIn(text, elementsOf(strings));
  },
  isLike: (text, pattern) => sql`${text} COLLATE "C" LIKE ${pattern}::text`,
};

/** Maximum number of scalars to compare one by one. For more scalars, a hash table is faster. */
const MAX_COMPARISONS = 10;

function metadataSql(layout: SqlLayout, path: readonly string[]): FieldSql {
  const field = valueAt(metadataColumn(layout), path);
  const fieldFolded = valueAt(metadataFolded(layout), path);
  // A name without a dot has no path through an array, because metadata is an object.
  const isPath = path.length > 1;
  const collected = collectedAt('values');
  // The field itself, or an array of the collected values.
  const value = isPath ? sql`coalesce(${collected}, ${field})` : field;
  const folded = isPath ? sql`coalesce(${collectedAt('folded')}, ${fieldFolded})` : fieldFolded;

  function collectedAt(member: keyof typeof collectedKeys): SqlFragment {
    return valueAt(metadataCollected(layout), [...path, collectedKeys[member]]);
  }

  return {
    isAmong(scalars) {
      // With `@>`, an array contains its scalar elements, and a scalar contains itself.
      if (scalars.length === 1)
        return sql`coalesce(${value} @> ${JSON.stringify(scalars[0])}::jsonb, FALSE)`;
      const list = sql`SELECT jsonb_array_elements(${JSON.stringify(scalars)}::jsonb)`;
      if (scalars.length <= MAX_COMPARISONS)
        return sql`coalesce(${value} @> ANY (ARRAY(${list})), FALSE)`;
      const elements = sql`CASE jsonb_typeof(${value}) WHEN 'array' THEN ${value} ELSE jsonb_build_array(${value}) END`;
      return sql`EXISTS (SELECT FROM jsonb_array_elements(${elements}) AS e(value) WHERE ${isIn(sql`e.value`, list)})`;
    },
    isNullOrAbsent() {
      const isNull = sql`coalesce(jsonb_typeof(${field}), 'null') = 'null'`;
      return isPath ? sql`(${isNull} AND ${collected} IS NULL)` : isNull;
    },
    isOrdered: (sign, operand) =>
      typeof operand === 'string'
        ? anyOfType(
            'string',
            value,
            (one) => sql`${dialect.inOrder(textOf(one))} ${sign} ${operand}::text`,
          )
        : anyOfType(
            'number',
            value,
            (one) => sql`${one} ${sign} ${JSON.stringify(operand)}::jsonb`,
          ),
    isLike: (pattern) => anyOfType('string', folded, (one) => dialect.isLike(textOf(one), pattern)),
    isOfType(type) {
      if (!isPath) return hasType(field, type);
      return type === 'absent'
        ? sql`(${collected} IS NULL AND ${hasType(field, type)})`
        : sql`CASE WHEN ${collected} IS NULL THEN ${hasType(field, type)} ELSE ${anyElement(collected, (one) => hasType(one, type))} END`;
    },
  };
}

/**
 * Reports whether a value, or an element of an array, has a type and satisfies a condition. The result is false if the
 * value is NULL. `CASE` is necessary because reading the elements of a scalar is an error.
 */
function anyOfType(
  type: 'string' | 'number',
  value: SqlFragment,
  condition: (one: SqlFragment) => SqlFragment,
): SqlFragment {
  const ofType = (one: SqlFragment) => sql`(${hasType(one, type)} AND ${condition(one)})`;
  return sql`CASE jsonb_typeof(${value}) WHEN ${sqlTypes[type]} THEN ${condition(value)} WHEN 'array' THEN ${anyElement(value, ofType)} ELSE FALSE END`;
}

const sqlTypes = { string: sql`'string'`, number: sql`'number'` } as const;

function anyElement(array: SqlFragment, condition: (one: SqlFragment) => SqlFragment): SqlFragment {
  return sql`EXISTS (SELECT FROM jsonb_array_elements(${array}) AS e(value) WHERE ${condition(sql`e.value`)})`;
}

/** `IN` uses a hash table, whereas `ANY` scans the list. `IS TRUE` prevents the planner from creating a join. */
function isIn(value: SqlFragment, list: SqlFragment): SqlFragment {
  return sql`(${value} IN (${list}) IS TRUE)`;
}

/** `strict` prevents a search for the key in array elements. The argument `TRUE` (silent) suppresses path errors. */
function valueAt(document: SqlFragment, path: readonly string[]): SqlFragment {
  return sql`jsonb_path_query_first(${document}, ${`strict ${jsonPath(path)}`}::jsonpath, '{}', TRUE)`;
}

function hasType(value: SqlFragment, type: FieldType): SqlFragment {
  return sql`coalesce(jsonb_typeof(${value}), 'absent') = ${type}::text`;
}

function textOf(scalar: SqlFragment): SqlFragment {
  return sql`(${scalar} #>> '{}')`;
}

/** Binds a list as one JSON value, because PostgreSQL limits a statement to 65,535 values. */
function elementsOf(strings: readonly string[]): SqlFragment {
  return sql`SELECT jsonb_array_elements_text(${JSON.stringify(strings)}::jsonb)`;
}

/** Almost all rows fail the test of the whole JSON text, which takes a third of the time of the tests of its strings. */
function search(layout: SqlLayout, text: string): SqlFragment {
  const fileName = fileNameFolded(layout);
  const metadata = metadataFolded(layout);
  const strings = sql`jsonb_path_query(${metadata}, 'strict $.** ? (@.type() == "string")')`;
  const isInJson = sql`strpos(${metadata}::text, ${inJson(text)}::text) > 0`;
  return sql`(strpos(${fileName}, ${text}::text) > 0 OR (${isInJson} AND EXISTS (SELECT FROM ${strings} AS t(value) WHERE strpos(t.value #>> '{}', ${text}::text) > 0)))`;
}

/** Returns a text with the escapes that PostgreSQL writes when it converts `jsonb` to text. */
function inJson(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
  return text.replaceAll(/["\\\u0000-\u001f]/g, (one) => JSON.stringify(one).slice(1, -1));
}
