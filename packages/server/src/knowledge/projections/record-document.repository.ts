import { createHash, randomUUIDv7 } from 'node:crypto';
import { fold } from '@gatehouse/filter';
import type {
  DocumentRow,
  KnowledgeEngine,
  ProjectionRow,
  Write,
} from '../../storage/ports/index.ts';
import { metadataColumns, storedValues, valuesOf } from '../documents/document.rules.ts';
import { partWrites } from '../documents/document-parts.repository.ts';
import { valueWrites } from '../documents/document-values.repository.ts';
import type { RenderedRecord } from './record-text.rules.ts';

export type Projection = Pick<ProjectionRow, 'space_id' | 'id' | 'generation'>;
export type StoredDocument = Pick<DocumentRow, 'id' | 'metadata'> & { readonly number: number };

const MIME_TYPE = 'text/plain';

/** Creates the writes of the documents that show records. */
export function createRecordDocuments({ db, index }: KnowledgeEngine) {
  function insertDocument(
    { space_id, id: projection_id }: Projection,
    key: string,
    number: number,
    rendered: RenderedRecord,
    time: string,
  ): Write[] {
    const document = { spaceId: space_id, number };
    return [
      db.insertInto('documents').values({
        ...columnsOf(rendered, time),
        space_id,
        number,
        id: randomUUIDv7(),
        projection_id,
        // Unique per record, so that no upload is treated as a duplicate of the record.
        sha256: createHash('sha256').update(`record ${projection_id} ${key}`).digest('hex'),
        mime_type: MIME_TYPE,
        language: null,
        url: null,
        failure: null,
        state: 'ready',
        passages: 1,
        subject: null,
        external_key: null,
        replaces: null,
        next_number: null,
        embedded_by: '',
        created_at: time,
      }),
      ...valueWrites(db, document, [], valuesOf(rendered.metadata)),
      ...textWrites(document, rendered),
    ];
  }

  /**
   * Replaces the text in place. The two changes of the state make the triggers log the passage as changed, so that searches load
   * it again.
   */
  function updateDocument(
    { space_id }: Projection,
    { number, metadata }: StoredDocument,
    rendered: RenderedRecord,
    time: string,
  ): Write[] {
    const document = { spaceId: space_id, number };
    const update = (columns: Partial<DocumentRow>): Write =>
      db
        .updateTable('documents')
        .set(columns as Record<string, string>)
        .where('space_id', '=', space_id)
        .where('number', '=', number);
    return [
      update({ state: 'processing' }),
      update({ ...columnsOf(rendered, time), state: 'ready' }),
      ...valueWrites(db, document, storedValues({ metadata }), valuesOf(rendered.metadata)),
      db
        .deleteFrom('document_parts')
        .where('space_id', '=', space_id)
        .where('document', '=', number),
      ...textWrites(document, rendered),
    ];
  }

  function textWrites(
    document: { readonly spaceId: string; readonly number: number },
    { fileName, title, heading, text }: RenderedRecord,
  ): Write[] {
    return [
      ...partWrites(db, document, new TextEncoder().encode(text)),
      ...index.replaceWrites({ ...document, fileName, title }, { heading: [heading], text }),
    ];
  }

  function removeDocument(spaceId: string, { number, metadata }: StoredDocument): Write[] {
    const document = { spaceId, number };
    return [
      db.deleteFrom('documents').where('space_id', '=', spaceId).where('number', '=', number),
      ...valueWrites(db, document, storedValues({ metadata }), []),
      index.queueCleanup(document),
    ];
  }

  return { insertDocument, updateDocument, removeDocument };
}

function columnsOf({ fileName, title, text, metadata }: RenderedRecord, time: string) {
  return {
    file_name: fileName,
    file_name_folded: fold(fileName),
    title,
    given_title: title,
    size: Buffer.byteLength(text),
    ...metadataColumns(metadata),
    updated_at: time,
  };
}
