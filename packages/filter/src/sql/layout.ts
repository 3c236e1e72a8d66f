import type { DocumentField } from '../language/ast.ts';
import { identifier, type SqlFragment, sql } from './fragment.ts';

/**
 * Where the documents are. All names are ours, made of lower-case ASCII letters, digits and `_`.
 *
 * The table of documents has these columns:
 * - `file_name`, `mime_type`, `language`, `created_at`, `updated_at`: text. All but `file_name` must be ASCII,
 *   which is all that the engines lower as `fold` does;
 * - `file_name_folded`: the file name made by `fold`;
 * - `metadata`: in SQLite the text that `JSON.stringify` gives, in PostgreSQL that as `jsonb`;
 * - `metadata_folded`: the same of `foldMetadata(metadata)`.
 *
 * In SQLite text has the collation `BINARY`, which is the default.
 */
export interface SqlLayout {
  /** Name or alias of the table of documents in the statement that the condition stands in. */
  readonly documents: string;
  /** The table of `indexedValues`, where there is one; then `eq` and `in` use it (SQLite alone). */
  readonly values?: ValuesLayout;
  /** The column of the metadata, where it is not `metadata`. */
  readonly metadata?: string;
  /**
   * A function of the connection that is asked before each comparison which may look through a whole text
   * (SQLite alone): true, or it ends a statement that takes too long by failing.
   */
  readonly checkTime?: string;
}

/**
 * A table with the columns `space_id`, `path`, `value` and one that names the document, which are its primary
 * key in this order. It holds all `indexedValues` of each document's metadata.
 */
export interface ValuesLayout {
  readonly table: string;
  /** The column of that table which names the document. */
  readonly document: string;
  /** The column of the documents that is named. */
  readonly key: string;
  /** The space that is asked about, bound like any value. Documents of other spaces have no values. */
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

export function fileNameFolded(layout: SqlLayout): SqlFragment {
  return column(layout, 'file_name_folded');
}

export function column(layout: SqlLayout, name: string): SqlFragment {
  return sql`${identifier(layout.documents)}.${identifier(name)}`;
}
