import type { FieldType } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import { type ColumnDialect, columnSql, emit, type FieldSql, jsonPath } from './emit.ts';
import { identifier, type SqlFragment, sql } from './fragment.ts';
import { column, fileNameFolded, metadataColumn, type SqlLayout } from './layout.ts';
import { indexedPath, indexedScalar } from './stored-values.ts';

/**
 * Returns a filter as a condition on a row of documents for SQLite (tested with 3.53): true for the documents that
 * `evaluate` accepts, false for others, never NULL. All user input is among its values. Usable wherever an operand of
 * `AND` is.
 *
 * @throws {TypeError} if a name of the layout is not an identifier.
 */
export function toSqlite(filter: Filter, layout: SqlLayout): SqlFragment {
  return emit(filter, {
    field: (field) =>
      field.source === 'metadata'
        ? metadataSql(layout, field.path)
        : columnSql(dialect, layout, field.name),
    search: (text) => search(layout, text),
  });
}

const dialect: ColumnDialect = {
  inOrder: (text) => text,
  isOneOf,
  isLike: sqliteLike,
};

/** JSON types by SQLite's names. */
const types: Readonly<Record<FieldType, SqlFragment>> = {
  string: sql`= 'text'`,
  number: sql`IN ('integer', 'real')`,
  boolean: sql`IN ('true', 'false')`,
  null: sql`= 'null'`,
  array: sql`= 'array'`,
  object: sql`= 'object'`,
  absent: sql`= 'absent'`,
};

function metadataSql(layout: SqlLayout, path: readonly string[]): FieldSql {
  const metadata = metadataColumn(layout);
  const folded = column(layout, 'metadata_folded');
  const at = jsonPath(path);

  function hasType(document: SqlFragment, type: FieldType): SqlFragment {
    return sql`coalesce(json_type(${document}, ${at}), 'absent') ${types[type]}`;
  }

  return {
    isAmong(scalars) {
      if (layout.values !== undefined) {
        const { table, document, key, spaceId } = layout.values;
        const isWanted = isOneOf(sql`v.value`, scalars.map(indexedScalar));
        return sql`${column(layout, key)} IN (SELECT v.${identifier(document)} FROM ${identifier(table)} AS v WHERE v.space_id = ${spaceId} AND v.path = ${indexedPath(path)} AND ${isWanted})`;
      }
      // A scalar is one row here, an array one for each element; an object must not be one for each member.
      const isElementAmong = sql`(e.type, e.atom) IN (SELECT type, atom FROM json_each(${JSON.stringify(scalars)}))`;
      return sql`(NOT ${hasType(metadata, 'object')} AND EXISTS (SELECT 1 FROM json_each(${metadata}, ${at}) AS e WHERE ${isElementAmong}))`;
    },
    isNullOrAbsent: () => sql`coalesce(json_type(${metadata}, ${at}), 'null') = 'null'`,
    isOrdered(sign, operand) {
      const value = sql`${metadata} ->> ${at}`;
      return typeof operand === 'string'
        ? sql`(${hasType(metadata, 'string')} AND ${value} ${sign} ${operand})`
        : sql`(${hasType(metadata, 'number')} AND CAST(${value} AS REAL) ${sign} ${operand})`;
    },
    isLike: (pattern) =>
      inTime(
        layout,
        sql`(${hasType(folded, 'string')} AND ${sqliteLike(sql`${folded} ->> ${at}`, pattern)})`,
      ),
    isOfType: (type) => hasType(metadata, type),
  };
}

/** Binds a list as one value, its JSON, because SQLite accepts 32,766 values per statement. */
function isOneOf(text: SqlFragment, strings: readonly string[]): SqlFragment {
  const [first, second] = strings;
  return first !== undefined && second === undefined
    ? sql`${text} = ${first}`
    : sql`${text} IN (SELECT value FROM json_each(${JSON.stringify(strings)}))`;
}

/**
 * Opens only the documents whose JSON contains the text anywhere, even in a key, and then compares each string. JSON
 * escapes characters one by one, so the first step misses no document.
 */
function search(layout: SqlLayout, text: string): SqlFragment {
  const fileName = fileNameFolded(layout);
  const metadata = column(layout, 'metadata_folded');
  const inJson = JSON.stringify(text).slice(1, -1);
  const found = sql`(instr(${fileName}, ${text}) > 0 OR (instr(${metadata}, ${inJson}) > 0 AND EXISTS (SELECT 1 FROM json_tree(${metadata}) AS t WHERE t.type = 'text' AND instr(t.value, ${text}) > 0)))`;
  return inTime(layout, found);
}

function inTime({ checkTime }: SqlLayout, condition: SqlFragment): SqlFragment {
  return checkTime === undefined ? condition : sql`(${identifier(checkTime)}() AND ${condition})`;
}

/**
 * Compares a folded text with a folded `like` pattern. SQLite's LIKE ignores ASCII letter case, which has no effect on
 * folded text.
 *
 * LIKE also treats U+FFFE and U+FFFF as U+FFFD. If a pattern has one of the three, U+FFFE and U+FFFF are replaced on both
 * sides by the encoding of numbers beyond Unicode, which no text can contain.
 */
function sqliteLike(text: SqlFragment, pattern: string): SqlFragment {
  if (!/[\ufffd-\uffff]/.test(pattern)) return sql`${text} LIKE ${pattern} ESCAPE '\\'`;
  return sql`${apart(text)} LIKE ${apart(sql`${pattern}`)} ESCAPE '\\'`;
}

function apart(text: SqlFragment): SqlFragment {
  return sql`replace(replace(${text}, char(65534), CAST(x'f4908080' AS TEXT)), char(65535), CAST(x'f4908081' AS TEXT))`;
}
