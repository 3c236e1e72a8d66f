import type { FieldType } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import { type ColumnDialect, columnSql, emit, type FieldSql, jsonPath } from './emit.ts';
import { identifier, type SqlFragment, sql } from './fragment.ts';
import {
  column,
  fileNameFolded,
  metadataCollected,
  metadataColumn,
  metadataFolded,
  type SqlLayout,
} from './layout.ts';
import { collectedKeys, indexedPath, indexedScalar } from './stored-values.ts';

/**
 * Returns a filter as an SQL condition on a document row, for SQLite (tested with 3.53). The condition is true if
 * `evaluate` returns `true`, otherwise false, and never NULL. The condition can be an operand of `AND`. All user input
 * is in `values`.
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

/** Conditions on the result of SQLite's `json_type`. */
const types: Readonly<Record<FieldType, SqlFragment>> = {
  string: sql`= 'text'`,
  number: sql`IN ('integer', 'real')`,
  boolean: sql`IN ('true', 'false')`,
  null: sql`= 'null'`,
  array: sql`= 'array'`,
  object: sql`= 'object'`,
  absent: sql`= 'absent'`,
};

const scalarTypes = { string: [sql`'text'`], number: [sql`'integer'`, sql`'real'`] } as const;

function metadataSql(layout: SqlLayout, path: readonly string[]): FieldSql {
  const metadata = metadataColumn(layout);
  const collected = metadataCollected(layout);
  const at = jsonPath(path);
  // A name without a dot has no path through an array, because metadata is an object.
  const isPath = path.length > 1;

  /** The condition must refer to a value as `e`, with the columns of `json_each`. */
  function anyCollected(member: keyof typeof collectedKeys, condition: SqlFragment): SqlFragment {
    const values = jsonPath([...path, collectedKeys[member]]);
    const any = sql`EXISTS (SELECT 1 FROM json_each(${collected}, ${values}) AS e WHERE ${condition})`;
    return sql`(${collected} IS NOT NULL AND ${withTimeCheck(layout, any)})`;
  }

  /**
   * Reports whether the field, an element of the field, or a collected value has a type and satisfies a condition. Reads
   * a scalar directly, because `json_each` is slower.
   */
  function anyOfType(
    type: 'string' | 'number',
    document: SqlFragment,
    member: keyof typeof collectedKeys,
    condition: (value: SqlFragment) => SqlFragment,
  ): SqlFragment {
    const ofType = sql`e.type ${types[type]} AND ${condition(sql`e.atom`)}`;
    const any = sql`EXISTS (SELECT 1 FROM json_each(${document}, ${at}) AS e WHERE ${ofType})`;
    const elements = withTimeCheck(layout, any);
    const whenAbsent = isPath ? sql` WHEN 'absent' THEN ${anyCollected(member, ofType)}` : sql``;
    const scalars = scalarTypes[type].map(
      (name) => sql` WHEN ${name} THEN ${condition(sql`(${document} ->> ${at})`)}`,
    );
    return sql`CASE coalesce(json_type(${document}, ${at}), 'absent')${scalars.reduce((all, next) => sql`${all}${next}`, sql``)} WHEN 'array' THEN ${elements}${whenAbsent} ELSE FALSE END`;
  }

  return {
    isAmong(scalars) {
      if (layout.values !== undefined) {
        const { table, document, key, spaceId } = layout.values;
        const hasValue = isOneOf(sql`v.value`, scalars.map(indexedScalar));
        return sql`${column(layout, key)} IN (SELECT v.${identifier(document)} FROM ${identifier(table)} AS v WHERE v.space_id = ${spaceId} AND v.path = ${indexedPath(path)} AND ${hasValue})`;
      }
      const isElementAmong = sql`(e.type, e.atom) IN (SELECT type, atom FROM json_each(${JSON.stringify(scalars)}))`;
      // `json_each` returns one row for a scalar and one per array element. Exclude objects, which have one row per member.
      const isField = sql`(NOT coalesce(json_type(${metadata}, ${at}), 'absent') = 'object' AND EXISTS (SELECT 1 FROM json_each(${metadata}, ${at}) AS e WHERE ${isElementAmong}))`;
      return isPath ? sql`(${isField} OR ${anyCollected('values', isElementAmong)})` : isField;
    },
    isNullOrAbsent() {
      const isNull = sql`coalesce(json_type(${metadata}, ${at}), 'null') = 'null'`;
      return isPath ? sql`(${isNull} AND ${hasNoCollectedValue()})` : isNull;
    },
    isOrdered: (sign, operand) =>
      typeof operand === 'string'
        ? anyOfType('string', metadata, 'values', (value) => sql`${value} ${sign} ${operand}`)
        : anyOfType(
            'number',
            metadata,
            'values',
            (value) => sql`CAST(${value} AS REAL) ${sign} ${operand}`,
          ),
    isLike: (pattern) =>
      withTimeCheck(
        layout,
        anyOfType('string', metadataFolded(layout), 'folded', (value) =>
          sqliteLike(value, pattern),
        ),
      ),
    isOfType(type) {
      const isField = sql`coalesce(json_type(${metadata}, ${at}), 'absent') ${types[type]}`;
      if (!isPath) return isField;
      return type === 'absent'
        ? sql`(${isField} AND ${hasNoCollectedValue()})`
        : sql`(${isField} OR ${anyCollected('values', sql`e.type ${types[type]}`)})`;
    },
  };

  function hasNoCollectedValue(): SqlFragment {
    return sql`json_type(${collected}, ${jsonPath([...path, collectedKeys.values])}) IS NULL`;
  }
}

/** Binds a list as one JSON value, because SQLite limits a statement to 32,766 values. */
function isOneOf(text: SqlFragment, strings: readonly string[]): SqlFragment {
  const [first, second] = strings;
  return first !== undefined && second === undefined
    ? sql`${text} = ${first}`
    : sql`${text} IN (SELECT value FROM json_each(${JSON.stringify(strings)}))`;
}

/**
 * Searches in two steps: finds the documents whose serialized JSON contains the text, even in a key, and then parses
 * only these documents. JSON escapes each character separately, so the first step finds every matching document.
 */
function search(layout: SqlLayout, text: string): SqlFragment {
  const fileName = fileNameFolded(layout);
  const metadata = metadataFolded(layout);
  const inJson = JSON.stringify(text).slice(1, -1);
  const found = sql`(instr(${fileName}, ${text}) > 0 OR (instr(${metadata}, ${inJson}) > 0 AND EXISTS (SELECT 1 FROM json_tree(${metadata}) AS t WHERE t.type = 'text' AND instr(t.value, ${text}) > 0)))`;
  return withTimeCheck(layout, found);
}

function withTimeCheck({ checkTime }: SqlLayout, condition: SqlFragment): SqlFragment {
  return checkTime === undefined ? condition : sql`(${identifier(checkTime)}() AND ${condition})`;
}

/**
 * Compares a folded text with a folded `like` pattern. SQLite's LIKE ignores ASCII case, which has no effect on folded
 * text. LIKE also treats U+FFFE and U+FFFF as U+FFFD. If a pattern contains one of these three characters,
 * U+FFFE and U+FFFF are replaced in both operands with code points beyond Unicode, which no text can contain.
 */
function sqliteLike(text: SqlFragment, pattern: string): SqlFragment {
  if (!/[\ufffd-\uffff]/.test(pattern)) return sql`${text} LIKE ${pattern} ESCAPE '\\'`;
  return sql`${withDistinctNoncharacters(text)} LIKE ${withDistinctNoncharacters(sql`${pattern}`)} ESCAPE '\\'`;
}

function withDistinctNoncharacters(text: SqlFragment): SqlFragment {
  return sql`replace(replace(${text}, char(65534), CAST(x'f4908080' AS TEXT)), char(65535), CAST(x'f4908081' AS TEXT))`;
}
