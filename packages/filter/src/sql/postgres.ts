import type { FieldType } from '../ast.ts';
import type { Filter } from '../filter.ts';
import { type ColumnDialect, columnSql } from './column.ts';
import { emit, type FieldSql } from './emit.ts';
import { type SqlFragment, sql } from './fragment.ts';
import { indexedPath, indexedScalar } from './indexed-values.ts';
import { jsonPath } from './json-path.ts';
import { column, fileNameFolded, isIndexed, type SqlLayout } from './layout.ts';

/**
 * A filter as a condition on a row of documents for PostgreSQL 13 or later, in a database whose encoding is
 * UTF-8: true for the documents that `evaluate` accepts, false for others, never NULL. All that a user wrote
 * is among its values, each of which is bound as text of a type that the SQL names. It can stand wherever
 * an operand of `AND` can.
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
  isOneOf,
  isLike: (text, pattern) => sql`${text} COLLATE "C" LIKE ${pattern}::text`,
};

function metadataSql(layout: SqlLayout, path: readonly string[]): FieldSql {
  const value = valueAt(column(layout, 'metadata'), path);
  const folded = valueAt(column(layout, 'metadata_folded'), path);

  return {
    isAmong(scalars) {
      if (layout.values !== undefined) {
        return isIndexed(layout, layout.values, indexedPath(path), (one) =>
          isOneOf(one, scalars.map(indexedScalar)),
        );
      }
      // An array contains a scalar that is one of its elements, and a scalar contains itself.
      return sql`coalesce(${value} @> ANY (ARRAY(SELECT jsonb_array_elements(${JSON.stringify(scalars)}::jsonb))), FALSE)`;
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
function isOneOf(text: SqlFragment, strings: readonly string[]): SqlFragment {
  const [first, second] = strings;
  return first !== undefined && second === undefined
    ? sql`${text} = ${first}::text`
    : sql`${text} IN (SELECT jsonb_array_elements_text(${JSON.stringify(strings)}::jsonb))`;
}

function search(layout: SqlLayout, text: string): SqlFragment {
  const fileName = fileNameFolded(layout);
  const metadata = column(layout, 'metadata_folded');
  return sql`(strpos(${fileName}, ${text}::text) > 0 OR EXISTS (SELECT FROM jsonb_path_query(${metadata}, 'strict $.** ? (@.type() == "string")') AS t(value) WHERE strpos(t.value #>> '{}', ${text}::text) > 0))`;
}
