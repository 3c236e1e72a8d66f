import type { Document } from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { foldMetadata, indexedValues } from '@gatehouse/filter/sql';
import { parse } from '../../lib/json/index.ts';
import type { DocumentRow } from '../../storage/ports/index.ts';
import type { IndexedValue } from './document-values.repository.ts';

/** The columns of a document that are shown. */
export type ShownRow = Omit<
  DocumentRow,
  'number' | 'attempts' | 'sha256' | 'metadata_folded' | 'file_name_folded' | 'subject'
>;

/** The columns that contain metadata. */
export interface MetadataColumns {
  readonly metadata: string;
  readonly metadata_folded: string;
}

export function metadataColumns(metadata: JsonObject): MetadataColumns {
  return {
    metadata: JSON.stringify(metadata),
    metadata_folded: JSON.stringify(foldMetadata(metadata)),
  };
}

/** New metadata and everything that must change with it. */
export interface MetadataWrite extends MetadataColumns {
  readonly updated_at: string;
  readonly values: readonly IndexedValue[];
}

export function metadataWrite(metadata: JsonObject, time: string): MetadataWrite {
  return { ...metadataColumns(metadata), updated_at: time, values: valuesOf(metadata) };
}

export function valuesOf(metadata: JsonObject): IndexedValue[] {
  return [...indexedValues(metadata)];
}

/** Parses stored metadata. */
export function toMetadata(json: string): JsonObject {
  return parse(json) as JsonObject;
}

export function toDocument(row: ShownRow): Document {
  return {
    id: row.id,
    spaceId: row.space_id,
    fileName: row.file_name,
    mimeType: row.mime_type,
    language: row.language,
    title: row.title,
    bytes: row.size,
    state: row.state,
    failure: row.failure,
    passages: row.passages,
    metadata: toMetadata(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Form of a language tag (BCP 47, RFC 5646, section 2.1), registered or not. */
const LANGUAGE_TAG = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;

/** Reports whether a text has the form of a language tag. */
export function isLanguage(tag: string): boolean {
  return tag.length <= 35 && LANGUAGE_TAG.test(tag);
}
