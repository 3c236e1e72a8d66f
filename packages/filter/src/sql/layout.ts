import type { DocumentField } from '../language/ast.ts';
import { identifier, type SqlFragment, sql } from './fragment.ts';

/**
 * The names of tables and columns. Names must consist of lower-case ASCII letters, digits and `_`.
 *
 * The documents table must have these columns:
 * - `file_name`, `mime_type`, `language`, `created_at`, `updated_at`: text. All except `file_name` must be ASCII, because
 *   the engines lower-case only ASCII in the same way as `fold`.
 * - `file_name_folded`: the result of `fold` for the file name.
 * - `metadata`: the result of `JSON.stringify`, as text in SQLite and as `jsonb` in PostgreSQL.
 * - `metadata_folded`: the result of `foldMetadata`, in the same form.
 * - `metadata_collected`: the result of `collectedValues`, in the same form; NULL if the result is `null`.
 *
 * In SQLite, text columns must have the default collation `BINARY`.
 */
export interface SqlLayout {
  /** Name or alias of the documents table in the surrounding statement. */
  readonly documents: string;
  /** The table that stores `indexedValues`, if this table exists. `eq`, `ne` and `in` use the table (SQLite only). */
  readonly values?: ValuesLayout;
  /** Name of the metadata column. Default: `metadata`. */
  readonly metadata?: string;
  /**
   * Name of an SQL function that is called before each comparison that may scan a long text or a long list (SQLite only). The function
   * must return true, or throw to abort a statement that takes too long.
   */
  readonly checkTime?: string;
}

/**
 * A table with the columns `space_id`, `path`, `value` and a reference to the document. The primary key consists of the
 * four columns in this order. The table contains all `indexedValues` of each document's metadata.
 */
export interface ValuesLayout {
  readonly table: string;
  /** The column that references the document. */
  readonly document: string;
  /** The referenced column of the documents table. */
  readonly key: string;
  /** ID of the space to search, bound as a value. Rows of other spaces are ignored. */
  readonly spaceId: string | number;
}

const columns: Readonly<Record<DocumentField, string>> = {
  fileName: 'file_name',
  mimeType: 'mime_type',
  language: 'language',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

export function documentColumn(layout: SqlLayout, field: DocumentField): SqlFragment {
  return column(layout, columns[field]);
}

export function metadataColumn(layout: SqlLayout): SqlFragment {
  return column(layout, layout.metadata ?? 'metadata');
}

export function metadataFolded(layout: SqlLayout): SqlFragment {
  return column(layout, 'metadata_folded');
}

export function metadataCollected(layout: SqlLayout): SqlFragment {
  return column(layout, 'metadata_collected');
}

export function fileNameFolded(layout: SqlLayout): SqlFragment {
  return column(layout, 'file_name_folded');
}

export function column(layout: SqlLayout, name: string): SqlFragment {
  return sql`${identifier(layout.documents)}.${identifier(name)}`;
}
