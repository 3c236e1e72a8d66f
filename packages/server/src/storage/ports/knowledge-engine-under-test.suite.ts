import { fold, type JsonObject } from '@gatehouse/filter';
import { metadataColumns, valuesOf } from '../../knowledge/documents/document.rules.ts';
import { createDocumentChanges } from '../../knowledge/documents/document-changes.repository.ts';
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

/** Inserts and indexes a document. Returns its number. */
export async function addDocument(
  engine: KnowledgeEngine,
  { spaceId, id, fileName = id, metadata, texts }: TestDocument,
): Promise<number> {
  const bytes = Buffer.from('bytes');
  const row = {
    id,
    space_id: spaceId,
    file_name: fileName,
    file_name_folded: fold(fileName),
    mime_type: 'text/plain',
    language: null,
    given_title: `Title of ${fileName}`,
    url: `https://docs.example/${encodeURIComponent(fileName)}`,
    size: bytes.length,
    sha256: id,
    ...metadataColumns(metadata),
    created_at: TIME,
    updated_at: TIME,
  };
  await createDocumentChanges(engine).insert(row, bytes, valuesOf(metadata));
  const { number } = await engine.db
    .selectFrom('documents')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .select('number')
    .executeTakeFirstOrThrow();
  const passages = texts.map((text) => ({ heading: [], text }));
  await engine.index.insert({ spaceId, number, fileName: '', title: null }, 0, passages);
  await engine.db
    .updateTable('documents')
    .set({ state: 'ready', passages: texts.length })
    .where('space_id', '=', spaceId)
    .where('number', '=', number)
    .execute();
  return number;
}
