import { fold } from '../evaluate/text.ts';
import type { DocumentField, Field, FieldType, FilterNode, Scalar } from '../language/ast.ts';
import { type SqlFragment, sql } from './fragment.ts';
import { documentColumn, fileNameFolded, type SqlLayout } from './layout.ts';

/** Creates the conditions on one field. No condition is ever NULL, so `NOT` is the exact complement. */
export interface FieldSql {
  /** The value, or any element if the value is an array, equals one of the scalars. `scalars` must not be empty. */
  isAmong(scalars: readonly NonNullable<Scalar>[]): SqlFragment;
  isNullOrAbsent(): SqlFragment;
  isOrdered(sign: SqlFragment, operand: number | string): SqlFragment;
  /** @param pattern a folded pattern. */
  isLike(pattern: string): SqlFragment;
  isOfType(type: FieldType): SqlFragment;
}

export interface Engine {
  field(field: Field): FieldSql;
  /** @param text a folded string. */
  search(text: string): SqlFragment;
}

const always: SqlFragment = sql`TRUE`;
const never: SqlFragment = sql`FALSE`;

const signs = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** Returns a filter as an SQL condition, which can be an operand of `AND`. */
export function emit(node: FilterNode, engine: Engine): SqlFragment {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const members = node.members.map((member) => emit(member, engine));
      return node.kind === 'and' ? allOf(members) : anyOf(members);
    }
    case 'not':
      return not(emit(node.member, engine));
    case 'search':
      return engine.search(fold(node.text));
    case 'eq':
      return equals(engine.field(node.field), [node.value]);
    case 'ne':
      return not(equals(engine.field(node.field), [node.value]));
    case 'in':
      return equals(engine.field(node.field), node.values);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return engine.field(node.field).isOrdered(signs[node.kind], node.value);
    case 'like':
      return engine.field(node.field).isLike(fold(node.pattern));
    case 'tp':
      return engine.field(node.field).isOfType(node.type);
  }
}

function allOf(members: readonly SqlFragment[]): SqlFragment {
  return join(members, sql` AND `, always);
}

function anyOf(members: readonly SqlFragment[]): SqlFragment {
  return join(members, sql` OR `, never);
}

function not(condition: SqlFragment): SqlFragment {
  return sql`(NOT ${condition})`;
}

function equals(field: FieldSql, values: readonly Scalar[]): SqlFragment {
  const scalars = values.filter((value) => value !== null);
  return anyOf([
    ...(scalars.length < values.length ? [field.isNullOrAbsent()] : []),
    ...(scalars.length > 0 ? [field.isAmong(scalars)] : []),
  ]);
}

/**
 * Joins conditions as a balanced tree. The depth of a flat chain `a AND b AND c …` equals its length. Several joined
 * filters could therefore exceed SQLite's limit of 1,000 levels.
 */
function join(
  members: readonly SqlFragment[],
  by: SqlFragment,
  whenEmpty: SqlFragment,
): SqlFragment {
  const [only = whenEmpty] = members;
  if (members.length < 2) return only;
  const middle = members.length >> 1;
  const left = join(members.slice(0, middle), by, whenEmpty);
  const right = join(members.slice(middle), by, whenEmpty);
  return sql`(${left}${by}${right})`;
}

/** The engine-specific SQL for text columns. */
export interface ColumnDialect {
  /** Returns the expression with a collation that sorts by code point. */
  inOrder(text: SqlFragment): SqlFragment;
  /** @param strings must not be empty. */
  isOneOf(text: SqlFragment, strings: readonly string[]): SqlFragment;
  /** Both arguments must be folded. */
  isLike(text: SqlFragment, pattern: string): SqlFragment;
}

/** Returns the conditions on a document's own field, which is a text column that can be NULL. */
export function columnSql(
  dialect: ColumnDialect,
  layout: SqlLayout,
  field: DocumentField,
): FieldSql {
  const column = documentColumn(layout, field);
  const folded =
    field === 'fileName' ? fileNameFolded(layout) : sql`lower(${dialect.inOrder(column)})`;
  const isText = sql`${column} IS NOT NULL`;
  return {
    isAmong(scalars: readonly Scalar[]) {
      const strings = scalars.filter((scalar) => typeof scalar === 'string');
      return strings.length === 0
        ? never
        : sql`(${isText} AND ${dialect.isOneOf(column, strings)})`;
    },
    isNullOrAbsent: () => sql`${column} IS NULL`,
    isOrdered: (sign, operand) =>
      typeof operand === 'number'
        ? never
        : sql`(${isText} AND ${dialect.inOrder(column)} ${sign} ${operand})`,
    isLike: (pattern) => sql`(${isText} AND ${dialect.isLike(folded, pattern)})`,
    isOfType(type) {
      if (type === 'string') return isText;
      return type === 'null' ? sql`${column} IS NULL` : never;
    },
  };
}

/**
 * Returns the JSON path of a metadata field, such as `$."department"."it's"`. The path is valid in both engines,
 * although SQLite expects JSON escapes in quoted keys and PostgreSQL expects JavaScript escapes.
 */
export function jsonPath(path: readonly string[]): string {
  return `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`;
}
