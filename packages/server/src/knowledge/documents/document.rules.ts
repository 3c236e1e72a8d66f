import type { Document } from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { collectedValues, foldMetadata, indexedValues } from '@gatehouse/filter/sql';
import { parse } from '../../lib/json/index.ts';
import type { DocumentRow } from '../../storage/ports/index.ts';
import type { IndexedValue } from './document-values.repository.ts';

export type ShownRow = Omit<
  DocumentRow,
  | 'number'
  | 'attempts'
  | 'sha256'
  | 'metadata_folded'
  | 'metadata_collected'
  | 'file_name_folded'
  | 'subject'
  | 'replaces'
  | 'next_number'
  | 'projection_id'
  | 'embedded_by'
>;

export interface MetadataColumns {
  readonly metadata: string;
  readonly metadata_folded: string;
  readonly metadata_collected: string | null;
}

export function metadataColumns(metadata: JsonObject): MetadataColumns {
  const collected = collectedValues(metadata);
  return {
    metadata: JSON.stringify(metadata),
    metadata_folded: JSON.stringify(foldMetadata(metadata)),
    metadata_collected: collected === null ? null : JSON.stringify(collected),
  };
}

export function valuesOf(metadata: JsonObject): IndexedValue[] {
  return [...indexedValues(metadata)];
}

/** Returns the indexed values of a stored document. `metadata` is its JSON text. */
export function storedValues({ metadata }: { readonly metadata: string }): IndexedValue[] {
  return valuesOf(toMetadata(metadata));
}

export function toMetadata(json: string): JsonObject {
  return parse(json) as JsonObject;
}

/** Returns the title that citations show: the given title, or else the title in the file, or else the file name. */
export function shownTitle({
  given_title,
  title,
  file_name,
}: Pick<DocumentRow, 'given_title' | 'title' | 'file_name'>): string {
  return given_title ?? title ?? file_name;
}

export function toDocument(row: ShownRow): Document {
  return {
    id: row.id,
    spaceId: row.space_id,
    key: row.external_key,
    fileName: row.file_name,
    mimeType: row.mime_type,
    language: row.language,
    title: shownTitle(row),
    givenTitle: row.given_title,
    url: row.url,
    bytes: row.size,
    state: row.state,
    failure: row.failure,
    passages: row.passages,
    metadata: toMetadata(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Syntax of a language tag (BCP 47, RFC 5646, section 2.1). The tag need not be registered. */
const LANGUAGE_TAG = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;

export function isLanguage(tag: string): boolean {
  return tag.length <= 35 && LANGUAGE_TAG.test(tag);
}
