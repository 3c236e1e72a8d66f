import { fold, type JsonObject } from '@gatehouse/filter';
import { metadataColumns, valuesOf } from '../../knowledge/documents/document.rules.ts';
import { NOT_INDEXED } from '../../knowledge/documents/document-changes.repository.ts';
import { ownBytes, partWrites } from '../../knowledge/documents/document-parts.repository.ts';
import { valueWrites } from '../../knowledge/documents/document-values.repository.ts';
import type { KnowledgeEngine } from './knowledge-engine.ts';
import type { Store } from './store.ts';

/** Opens an empty store. Disposal of the returned object deletes the store. */
export type OpenKnowledge = () => Promise<AsyncDisposable & { readonly store: Store }>;

export interface TestDocument {
  readonly spaceId: string;
  readonly id: string;
  readonly fileName?: string;
  readonly metadata: JsonObject;
  readonly texts: readonly string[];
}

export const TIME = '2026-11-21T12:00:00.000Z';

/** Inserts and indexes a document, in one transaction. Returns its number. */
export async function addDocument(
  engine: KnowledgeEngine,
  { spaceId, id, fileName = id, metadata, texts }: TestDocument,
): Promise<number> {
  const { db, index } = engine;
  const number = await index.reserveNumber(spaceId);
  if (number === null) throw new Error(`there is no space ${spaceId}`);
  const bytes = Buffer.from('bytes');
  const document = { spaceId, number };
  const isStored = await engine.writeIf(index.spaceExists(spaceId), [
    db.insertInto('documents').values({
      id,
      space_id: spaceId,
      number,
      file_name: fileName,
      file_name_folded: fold(fileName),
      mime_type: 'text/plain',
      language: null,
      given_title: `Title of ${fileName}`,
      url: `https://docs.example/${encodeURIComponent(fileName)}`,
      size: bytes.length,
      sha256: id,
      ...metadataColumns(metadata),
      ...NOT_INDEXED,
      state: 'ready',
      passages: texts.length,
      created_at: TIME,
      updated_at: TIME,
    }),
    ...partWrites(db, document, bytes, ownBytes),
    ...valueWrites(db, document, [], valuesOf(metadata)),
    ...index.insertWrites(
      { ...document, fileName: '', title: null },
      0,
      texts.map((text) => ({ heading: [], text })),
    ),
  ]);
  if (!isStored) throw new Error(`there is no space ${spaceId}`);
  return number;
}
