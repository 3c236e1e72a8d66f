import type { Field, FieldType, FilterNode, Scalar } from '../ast.ts';
import { fold } from '../fold.ts';
import { type SqlFragment, sql } from './fragment.ts';

/**
 * The conditions on one field. None is ever NULL, so that `NOT` is the complement. Scalars and operands are
 * as in a `Comparison`; scalars are not null.
 */
export interface FieldSql {
  /** The value, or an element of the array that it is, is one of the scalars. There is one at least. */
  isAmong(scalars: readonly NonNullable<Scalar>[]): SqlFragment;
  isNullOrAbsent(): SqlFragment;
  isOrdered(sign: SqlFragment, operand: number | string): SqlFragment;
  /** The pattern is folded. */
  isLike(pattern: string): SqlFragment;
  isOfType(type: FieldType): SqlFragment;
}

/** What an engine says in its own way. */
export interface Engine {
  field(field: Field): FieldSql;
  /** The text is folded. */
  search(text: string): SqlFragment;
}

export const always: SqlFragment = sql`TRUE`;
export const never: SqlFragment = sql`FALSE`;

const signs = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** A filter as a condition in an engine's SQL, which can stand wherever an operand of `AND` can. */
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

export function everyOf(members: readonly SqlFragment[]): SqlFragment {
  return joined(members, sql` AND `, always);
}

export function anyOf(members: readonly SqlFragment[]): SqlFragment {
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
 * In halves of halves: `a AND b AND c AND …` is a tree as deep as it is long. SQLite takes a depth of 1,000,
 * and several filters joined may have more nodes than that.
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
