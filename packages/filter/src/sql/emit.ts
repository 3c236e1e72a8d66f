import { fold } from '../evaluate/text.ts';
import type { DocumentField, Field, FieldType, FilterNode, Scalar } from '../language/ast.ts';
import { type SqlFragment, sql } from './fragment.ts';
import { documentColumn, fileNameFolded, type SqlLayout } from './layout.ts';

/**
 * The conditions on one field. None is ever NULL, so that `NOT` is the complement. Scalars and operands are
 * as in a `Comparison`; scalars are not null.
 */
export interface FieldSql {
  /** The value, or an element of it if it is an array, is one of the scalars, of which there is at least one. */
  isAmong(scalars: readonly NonNullable<Scalar>[]): SqlFragment;
  isNullOrAbsent(): SqlFragment;
  isOrdered(sign: SqlFragment, operand: number | string): SqlFragment;
  /** The pattern is folded. */
  isLike(pattern: string): SqlFragment;
  isOfType(type: FieldType): SqlFragment;
}

/** The SQL that differs between engines. */
export interface Engine {
  field(field: Field): FieldSql;
  /** The text is folded. */
  search(text: string): SqlFragment;
}

const always: SqlFragment = sql`TRUE`;
const never: SqlFragment = sql`FALSE`;

const signs = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** Returns a filter as a condition in an engine's SQL, usable wherever an operand of `AND` is. */
export function emit(node: FilterNode, engine: Engine): SqlFragment {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const members = node.members.map((member) => emit(member, engine));
      return node.kind === 'and' ? everyOf(members) : anyOf(members);
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

function everyOf(members: readonly SqlFragment[]): SqlFragment {
  return joined(members, sql` AND `, always);
}

function anyOf(members: readonly SqlFragment[]): SqlFragment {
  return joined(members, sql` OR `, never);
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
 * Joins conditions as a balanced tree. `a AND b AND c AND …` is a tree as deep as it is long; SQLite accepts a depth of
 * 1,000, which several joined filters can exceed.
 */
function joined(
  members: readonly SqlFragment[],
  by: SqlFragment,
  whenEmpty: SqlFragment,
): SqlFragment {
  const [only = whenEmpty] = members;
  if (members.length < 2) return only;
  const middle = members.length >> 1;
  const left = joined(members.slice(0, middle), by, whenEmpty);
  const right = joined(members.slice(middle), by, whenEmpty);
  return sql`(${left}${by}${right})`;
}

/** The SQL on text columns that differs between engines. */
export interface ColumnDialect {
  /** The text in the order of code points. */
  inOrder(text: SqlFragment): SqlFragment;
  /** At least one string is given. */
  isOneOf(text: SqlFragment, strings: readonly string[]): SqlFragment;
  /** Text and pattern are folded. */
  isLike(text: SqlFragment, pattern: string): SqlFragment;
}

/** Returns the conditions on a document's own field, which is a text column or NULL. */
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
 * Returns the path to a field for both engines: `$."department"."it's"`. Quoted keys have JSON's escapes in SQLite and
 * JavaScript's in PostgreSQL.
 */
export function jsonPath(path: readonly string[]): string {
  return `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`;
}
