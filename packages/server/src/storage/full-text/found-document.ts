import { type RawBuilder, sql } from 'kysely';

/** The columns of `RankedPassage` that come from a row of `documents`. */
export const FOUND_DOCUMENT: RawBuilder<unknown> = sql`documents.id as "documentId",
  documents.file_name as "fileName",
  coalesce(documents.given_title, documents.title, documents.file_name) as title,
  documents.url, documents.metadata, documents.projection_id as "projectionId",
  documents.updated_at as "updatedAt"`;
