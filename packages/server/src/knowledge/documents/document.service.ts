import type { Document, DocumentState, Passage } from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { type Page, readCursor, readLimit, readPositionCursor, toPage } from '../../http/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { noSuchDocument } from './document.errors.ts';
import { createDocumentRepository } from './document.repository.ts';
import { metadataWrite, toDocument } from './document.rules.ts';
import { createDocumentChanges } from './document-changes.repository.ts';
import { type AddDocument, createUpload, type DocumentsDeps } from './upload.service.ts';

/** Name and type of a document. */
export interface NamedDocument {
  readonly fileName: string;
  readonly mimeType: string;
}

interface ListRequest {
  readonly limit?: number;
  readonly after?: string;
}

/** Documents. Every operation has a scope; documents outside of it do not exist for the caller. */
export interface Documents {
  add: AddDocument;
  list(
    scope: KnowledgeScope,
    request: ListRequest & { state?: DocumentState },
  ): Promise<Page<Document>>;
  /** Returns those of the documents that are in the scope, by id. */
  named(scope: KnowledgeScope, ids: readonly string[]): Promise<ReadonlyMap<string, NamedDocument>>;
  /** This and the following methods throw 404 if the document is not in the scope. */
  show(scope: KnowledgeScope, id: string): Promise<Document>;
  original(
    scope: KnowledgeScope,
    id: string,
  ): Promise<{ document: Document; parts: AsyncIterable<Uint8Array> }>;
  passages(
    scope: KnowledgeScope,
    id: string,
    request: ListRequest & { readonly position?: number },
  ): Promise<Page<Passage>>;
  changeMetadata(scope: KnowledgeScope, id: string, metadata: JsonObject): Promise<Document>;
  remove(scope: KnowledgeScope, id: string): Promise<void>;
}

export function createDocuments(deps: DocumentsDeps): Documents {
  const { engine, clock, onWork } = deps;
  const documents = createDocumentRepository(engine);
  const changes = createDocumentChanges(engine);
  const now = () => new Date(clock()).toISOString();
  const find = async (scope: KnowledgeScope, id: string) => {
    const row = await documents.find(scope, id.toLowerCase());
    if (row === undefined) throw noSuchDocument();
    return row;
  };

  return {
    add: createUpload(deps),
    async list(scope, { limit, after, state }) {
      const count = readLimit(limit);
      const rows = await documents.list(scope, {
        after: readCursor(after),
        count: count + 1,
        ...(state === undefined ? {} : { state }),
      });
      return toPage(rows, count, (row) => row.id, toDocument);
    },
    async named(scope, ids) {
      const rows = await documents.named(scope, ids);
      return new Map(
        rows.map((row) => [row.id, { fileName: row.file_name, mimeType: row.mime_type }]),
      );
    },
    show: async (scope, id) => toDocument(await find(scope, id)),
    async original(scope, id) {
      const row = await find(scope, id);
      return { document: toDocument(row), parts: documents.parts(scope, row.number, row.size) };
    },
    async passages(scope, id, { limit, after, position = 0 }) {
      const { id: documentId } = await find(scope, id);
      const count = readLimit(limit);
      const from = (readPositionCursor(after) ?? position - 1) + 1;
      const rows = await engine.passages(scope, documentId, from, count + 1);
      return toPage(
        rows,
        count,
        (row) => String(row.position),
        (row) => ({ ...row }),
      );
    },
    async changeMetadata(scope, id, metadata) {
      const { number } = await find(scope, id);
      const changed = await changes.changeMetadata(scope, number, metadataWrite(metadata, now()));
      if (!changed) throw noSuchDocument();
      return toDocument(await find(scope, id));
    },
    async remove(scope, id) {
      const { number } = await find(scope, id);
      await changes.remove(scope, number);
      onWork();
    },
  };
}
