import { createHash, randomUUIDv7 } from 'node:crypto';
import { ApiError, type Document, type DocumentState, type Passage } from '@gatehouse/contract';
import { fold, type JsonObject } from '@gatehouse/filter';
import type { Clock } from '../ports/clock.ts';
import type { KnowledgeEngine } from '../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../ports/knowledge-scope.ts';
import { type Page, readCursor, readLimit, readPlaceCursor, toPage } from '../ports/page.ts';
import { UniqueViolation } from '../ports/storage-error.ts';
import { createDocumentRepository, type DocumentRepository } from './document.repository.ts';
import { metadataColumns, toDocument, toMetadata, valuesOf } from './document.rules.ts';
import { noSuchDocument } from './knowledge.errors.ts';
import { sameMetadata } from './metadata.rules.ts';

/** A document that was sent, checked. */
export interface SentDocument {
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** Undefined: none was sent, so a document that is there keeps what it has. */
  readonly metadata: JsonObject | undefined;
  readonly language: string | undefined;
}

/** What a document is called. */
export interface NamedDocument {
  readonly fileName: string;
  readonly mimeType: string;
}

interface ListRequest {
  readonly limit?: number;
  readonly after?: string;
}

/** Documents. All that is asked for is looked for in a scope; what lies outside of it is not there. */
export interface Documents {
  /**
   * Stores a document; when it resolves, the original is on disk and its text will be read. The same
   * bytes under the same name are the document that is there, with the metadata that came last.
   */
  add(scope: KnowledgeScope, sent: SentDocument): Promise<{ document: Document; isNew: boolean }>;
  list(
    scope: KnowledgeScope,
    request: ListRequest & { state?: DocumentState },
  ): Promise<Page<Document>>;
  /** Those of some documents that are in the scope, by their ids. */
  named(scope: KnowledgeScope, ids: readonly string[]): Promise<ReadonlyMap<string, NamedDocument>>;
  /** This and what follows throw 404 when the scope has no such document. */
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

export interface DocumentsDeps {
  readonly engine: KnowledgeEngine;
  readonly clock: Clock;
  /** There is a document to read, or the remains of one to remove. */
  readonly onWork: () => void;
}

/** Of an upload whose file others send and delete at the same time. */
const MOST_ATTEMPTS = 20;

export function createDocuments({ engine, clock, onWork }: DocumentsDeps): Documents {
  const documents = createDocumentRepository(engine);
  const now = () => new Date(clock()).toISOString();
  const find = async (scope: KnowledgeScope, id: string) => {
    const row = await documents.find(scope, id.toLowerCase());
    if (row === undefined) throw noSuchDocument();
    return row;
  };

  async function changeMetadata(
    scope: KnowledgeScope,
    { number }: { readonly number: number },
    metadata: JsonObject,
  ): Promise<void> {
    const write = {
      ...metadataColumns(metadata),
      updated_at: now(),
      values: valuesOf(metadata),
    };
    if (!(await documents.changeMetadata(scope, number, write))) throw noSuchDocument();
  }

  async function addKnown(
    scope: KnowledgeScope,
    sent: SentDocument,
    known: NonNullable<Awaited<ReturnType<DocumentRepository['findFile']>>>,
  ): Promise<{ document: Document; isNew: boolean }> {
    const { metadata } = sent;
    if (metadata !== undefined && !sameMetadata(metadata, toMetadata(known.metadata)))
      await changeMetadata(scope, known, metadata);
    if (sent.language !== undefined && sent.language !== known.language)
      await documents.changeLanguage(scope, known.number, sent.language, now());
    if (known.state === 'failed') {
      await documents.readAgain(scope, known.number);
      onWork();
    }
    return { document: toDocument(await find(scope, known.id)), isNew: false };
  }

  async function addNew(
    scope: KnowledgeScope,
    sent: SentDocument,
    sha256: string,
  ): Promise<{ document: Document; isNew: boolean }> {
    const { fileName, mimeType, bytes, metadata = {}, language } = sent;
    const time = now();
    const id = randomUUIDv7();
    const row = {
      id,
      space_id: scope.spaceId,
      file_name: fileName,
      file_name_folded: fold(fileName),
      mime_type: mimeType,
      language: language ?? null,
      size: bytes.length,
      sha256,
      ...metadataColumns(metadata),
      created_at: time,
      updated_at: time,
    };
    await documents.insert(row, bytes, valuesOf(metadata));
    onWork();
    return { document: toDocument(await find(scope, id)), isNew: true };
  }

  async function add(
    scope: KnowledgeScope,
    sent: SentDocument,
  ): Promise<{ document: Document; isNew: boolean }> {
    const sha256 = createHash('sha256').update(sent.bytes).digest('hex');
    const file = { sha256, fileName: sent.fileName };
    for (let attempt = 1; ; attempt++) {
      try {
        const known = await documents.findFile(scope, file);
        if (known !== undefined) return await addKnown(scope, sent, known);
        return await addNew(scope, sent, sha256);
      } catch (error) {
        // Somebody was first with the same file, or deleted it in between.
        const raced =
          error instanceof UniqueViolation ||
          (error instanceof ApiError && error.code === 'knowledge.not-found');
        if (!raced || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  return {
    add,
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
      return { document: toDocument(row), parts: documents.parts(row.number, row.size) };
    },
    async passages(scope, id, { limit, after, position = 0 }) {
      const { id: documentId } = await find(scope, id);
      const count = readLimit(limit);
      const from = (readPlaceCursor(after) ?? position - 1) + 1;
      const rows = await engine.passages(scope, documentId, from, count + 1);
      return toPage(
        rows,
        count,
        (row) => String(row.position),
        (row) => ({ ...row }),
      );
    },
    async changeMetadata(scope, id, metadata) {
      await changeMetadata(scope, await find(scope, id), metadata);
      return toDocument(await find(scope, id));
    },
    async remove(scope, id) {
      const { number } = await find(scope, id);
      await documents.remove(scope, number);
      onWork();
    },
  };
}
