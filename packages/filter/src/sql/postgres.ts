import type { FieldType } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import { type ColumnDialect, columnSql, emit, type FieldSql, jsonPath } from './emit.ts';
import { type SqlFragment, sql } from './fragment.ts';
import { column, fileNameFolded, metadataColumn, type SqlLayout } from './layout.ts';

/**
 * Returns a filter as a condition on a row of documents for PostgreSQL 13 or later, in a database whose encoding is
 * UTF-8: true for the documents that `evaluate` accepts, false for others, never NULL. All user input is among its
 * values, which are bound as text. Usable wherever an operand of `AND` is.
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
      : isIn(text, each(strings));
  },
  isLike: (text, pattern) => sql`${text} COLLATE "C" LIKE ${pattern}::text`,
};

/** Scalars that are compared one by one; of more, a look-up of each element in a hash table is quicker. */
const MOST_COMPARED = 10;

function metadataSql(layout: SqlLayout, path: readonly string[]): FieldSql {
  const value = valueAt(metadataColumn(layout), path);
  const folded = valueAt(column(layout, 'metadata_folded'), path);

  return {
    isAmong(scalars) {
      // An array contains a scalar that is one of its elements, and a scalar contains itself.
      if (scalars.length === 1)
        return sql`coalesce(${value} @> ${JSON.stringify(scalars[0])}::jsonb, FALSE)`;
      const list = sql`SELECT jsonb_array_elements(${JSON.stringify(scalars)}::jsonb)`;
      if (scalars.length <= MOST_COMPARED)
        return sql`coalesce(${value} @> ANY (ARRAY(${list})), FALSE)`;
      const elements = sql`CASE jsonb_typeof(${value}) WHEN 'array' THEN ${value} ELSE jsonb_build_array(${value}) END`;
      return sql`EXISTS (SELECT FROM jsonb_array_elements(${elements}) AS e(value) WHERE ${isIn(sql`e.value`, list)})`;
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

/** Looked up in a hash table, where `ANY` goes through the list; `IS TRUE` keeps it from becoming a join. */
function isIn(value: SqlFragment, list: SqlFragment): SqlFragment {
  return sql`(${value} IN (${list}) IS TRUE)`;
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
