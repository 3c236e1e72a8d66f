import type { DocumentField, Scalar } from '../ast.ts';
import { type FieldSql, never } from './emit.ts';
import { type SqlFragment, sql } from './fragment.ts';
import { documentColumn, fileNameFolded, type SqlLayout } from './layout.ts';

/** What each engine says in its own way about text. */
export interface ColumnDialect {
  /** The text in the order of code points. */
  inOrder(text: SqlFragment): SqlFragment;
  /** There is one string at least. */
  isOneOf(text: SqlFragment, strings: readonly string[]): SqlFragment;
  /** Text and pattern are folded. */
  isLike(text: SqlFragment, pattern: string): SqlFragment;
}

/** The conditions on a document's own field, which is a column of text or NULL. */
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
