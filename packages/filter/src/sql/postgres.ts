import type { FieldType } from '../ast.ts';
import type { Filter } from '../filter.ts';
import { type ColumnDialect, columnSql } from './column.ts';
import { emit, type FieldSql } from './emit.ts';
import { type SqlFragment, sql } from './fragment.ts';
import { jsonPath } from './json-path.ts';
import { column, fileNameFolded, metadataColumn, type SqlLayout } from './layout.ts';

/**
 * A filter as a condition on a row of documents for PostgreSQL 13 or later, in a database whose encoding is
 * UTF-8: true for the documents that `evaluate` accepts, false for others, never NULL. All that a user wrote
 * is among its values, and these are bound as text. It can stand wherever an operand of `AND` can.
 *
 * @throws {TypeError} when a name of the layout is not an identifier.
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
    // Looked up in a hash table, row by row, where `ANY` would go through the list; `IS TRUE` keeps it from becoming a join.
    return first !== undefined && second === undefined
      ? sql`${text} = ${first}::text`
      : sql`(${text} IN (${each(strings)}) IS TRUE)`;
  },
  isLike: (text, pattern) => sql`${text} COLLATE "C" LIKE ${pattern}::text`,
};

function metadataSql(layout: SqlLayout, path: readonly string[]): FieldSql {
  const value = valueAt(metadataColumn(layout), path);
  const folded = valueAt(column(layout, 'metadata_folded'), path);

  return {
    isAmong(scalars) {
      // An array contains a scalar that is one of its elements, and a scalar contains itself.
      if (scalars.length === 1)
        return sql`coalesce(${value} @> ${JSON.stringify(scalars[0])}::jsonb, FALSE)`;
      const list = sql`SELECT jsonb_array_elements(${JSON.stringify(scalars)}::jsonb)`;
      return sql`coalesce(${value} @> ANY (ARRAY(${list})), FALSE)`;
    },
    isNullOrAbsent: () => sql`coalesce(jsonb_typeof(${value}), 'null') = 'null'`,
    isOrdered: (sign, operand) =>
      typeof operand === 'string'
        ? sql`(${hasType(value, 'string')} AND ${dialect.inOrder(textOf(value))} ${sign} ${operand}::text)`
        : sql`(${hasType(value, 'number')} AND ${value} ${sign} ${JSON.stringify(operand)}::jsonb)`,
    isLike: (pattern) =>
      sql`(${hasType(folded, 'string')} AND ${dialect.isLike(textOf(folded), pattern)})`,
    isOfType: (type) => hasType(value, type),
  };
}

/** Strict, so that a key is not looked for in the elements of an array; silent, so that it is no error. */
function valueAt(document: SqlFragment, path: readonly string[]): SqlFragment {
  return sql`jsonb_path_query_first(${document}, ${`strict ${jsonPath(path)}`}::jsonpath, '{}', TRUE)`;
}

function hasType(value: SqlFragment, type: FieldType): SqlFragment {
  return sql`coalesce(jsonb_typeof(${value}), 'absent') = ${type}::text`;
}

function textOf(scalar: SqlFragment): SqlFragment {
  return sql`(${scalar} #>> '{}')`;
}

/** A list is one value, its JSON: PostgreSQL takes 65,535 values in a statement. */
function each(strings: readonly string[]): SqlFragment {
  return sql`SELECT jsonb_array_elements_text(${JSON.stringify(strings)}::jsonb)`;
}

function search(layout: SqlLayout, text: string): SqlFragment {
  const fileName = fileNameFolded(layout);
  const metadata = column(layout, 'metadata_folded');
  const strings = sql`jsonb_path_query(${metadata}, 'strict $.** ? (@.type() == "string")')`;
  return sql`(strpos(${fileName}, ${text}::text) > 0 OR EXISTS (SELECT FROM ${strings} AS t(value) WHERE strpos(t.value #>> '{}', ${text}::text) > 0))`;
}
