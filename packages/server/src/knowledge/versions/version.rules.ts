import { fold, type JsonObject } from '@gatehouse/filter';
import type { DocumentRow } from '../../storage/ports/index.ts';
import { toMetadata } from '../documents/document.rules.ts';
import type { SentDocument } from '../documents/sent-document.ts';
import { type Content, sha256Of, sizeOf } from '../uploads/content.ts';

/** A version of a document that must be indexed. */
export interface DocumentVersion {
  readonly columns: Pick<
    DocumentRow,
    | 'file_name'
    | 'file_name_folded'
    | 'mime_type'
    | 'language'
    | 'given_title'
    | 'url'
    | 'size'
    | 'sha256'
    | 'updated_at'
  >;
  readonly metadata: JsonObject;
  readonly content: Content;
}

/** Returns the version that a request or an event describes completely. Omitted properties are reset. */
export function versionOf(
  { fileName, mimeType, content, metadata = {}, language, title, url }: SentDocument,
  time: number,
): DocumentVersion {
  return {
    columns: {
      file_name: fileName,
      file_name_folded: fold(fileName),
      mime_type: mimeType,
      language: language ?? null,
      given_title: title ?? null,
      url: url ?? null,
      size: sizeOf(content),
      sha256: sha256Of(content),
      updated_at: new Date(time).toISOString(),
    },
    metadata,
    content,
  };
}

/** Returns the version with the properties of a stored row. */
export function versionFrom(
  row: Pick<
    DocumentRow,
    'file_name' | 'mime_type' | 'metadata' | 'language' | 'given_title' | 'url'
  >,
  content: Content,
  time: number,
): DocumentVersion {
  return versionOf(
    {
      fileName: row.file_name,
      mimeType: row.mime_type,
      content,
      metadata: toMetadata(row.metadata),
      language: row.language ?? undefined,
      title: row.given_title ?? undefined,
      url: row.url ?? undefined,
    },
    time,
  );
}

/** Reports whether indexing the new version would produce the same index as the current version has. The index contains the file name. */
export function isSameFile(
  document: Pick<DocumentRow, 'sha256' | 'file_name' | 'mime_type'>,
  { columns }: DocumentVersion,
): boolean {
  return (
    document.sha256 === columns.sha256 &&
    document.file_name === columns.file_name &&
    document.mime_type === columns.mime_type
  );
}
