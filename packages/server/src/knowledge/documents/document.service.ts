import {
  type Document,
  type DocumentState,
  type Passage,
  UUID,
  UUID_PATTERN,
} from '@gatehouse/contract';
import {
  encodeCursor,
  type ListRequest,
  type Page,
  readCursor,
  readLimit,
  readPositionCursor,
  readTextCursor,
  toPage,
} from '../../http/index.ts';
import type { DocumentOrder, KnowledgeScope } from '../../storage/ports/index.ts';
import { OriginalWriter } from '../uploads/original-writer.ts';
import { createStagedOriginals } from '../uploads/staged-original.repository.ts';
import { createIndexAgain } from '../versions/index-again.repository.ts';
import { createPutDocument, type PutDocument } from '../versions/keyed-document.repository.ts';
import { documentIsRecord, noSuchDocument } from './document.errors.ts';
import { createDocumentRepository } from './document.repository.ts';
import { shownTitle, toDocument } from './document.rules.ts';
import { createDocumentChanges } from './document-changes.repository.ts';
import { createMergeMetadata, type MergeMetadata } from './merge-metadata.repository.ts';
import type { PropertiesChange } from './sent-document.ts';
import { type AddDocument, createUpload, type DocumentsDeps } from './upload.service.ts';

export interface NamedDocument {
  readonly fileName: string;
  readonly title: string;
  readonly url: string | null;
  readonly mimeType: string;
}

export interface VisibleDocument extends NamedDocument {
  /** RFC 3339 in UTC with milliseconds. Every change of the text or the metadata changes it. */
  readonly updatedAt: string;
}

/**
 * Documents of a space. Every operation has a scope. Documents outside the scope do not exist for the caller.
 *
 * @example
 * const scope = await knowledgeAccess.scope(caller, spaceId);
 * const { items } = await documents.list(scope, { state: 'ready' });
 */
export interface Documents {
  /** Returns a writer that receives the original of a document. Dispose of the writer after the document has been stored. */
  receive(scope: KnowledgeScope): OriginalWriter;
  add: AddDocument;
  put: PutDocument;
  /**
   * Returns a page of documents.
   *
   * @param request.search the scope contains this search for text. The page may then be short although a next page exists.
   * @param request.fileName the scope requires this file name.
   * @param request.order default `oldest`. A cursor is valid only with the order of its page.
   */
  list(scope: KnowledgeScope, request: DocumentListRequest): Promise<Page<Document>>;
  count(scope: KnowledgeScope): Promise<number>;
  /** Returns the given documents by ID. Documents outside the scope are omitted. */
  named(
    scope: KnowledgeScope,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, VisibleDocument>>;
  /** Throws 404 if the document is not in the scope, as do the following methods. */
  show(scope: KnowledgeScope, id: string): Promise<Document>;
  original(
    scope: KnowledgeScope,
    id: string,
  ): Promise<{
    document: Document;
    /** Identifies the version of the document. */
    number: number;
    parts: AsyncIterable<Uint8Array>;
  }>;
  passages(
    scope: KnowledgeScope,
    id: string,
    request: ListRequest & { readonly position?: number },
  ): Promise<Page<Passage>>;
  /** Changes the given properties. Omitted properties keep their values. */
  change(scope: KnowledgeScope, id: string, change: PropertiesChange): Promise<Document>;
  mergeMetadata: MergeMetadata;
  /**
   * Queues a failed document for the indexer. With `force`, also queues a document that is `ready`, and rejects a record with 409. A
   * document that is being indexed does not change.
   */
  retry(scope: KnowledgeScope, id: string, options: { readonly force: boolean }): Promise<Document>;
  remove(scope: KnowledgeScope, id: string): Promise<void>;
}

interface DocumentListRequest extends ListRequest {
  readonly state?: DocumentState;
  readonly search?: string;
  readonly fileName?: string;
  readonly order?: DocumentOrder;
}

/** Prefix of the IDs in cursors of lists with the newest documents first. */
const NEWEST = 'newest ';
const NEWEST_CURSOR = new RegExp(`^${NEWEST}${UUID_PATTERN.slice(1)}`);

export interface DocumentsOptions extends DocumentsDeps {
  /** Maximum number of documents that a page with a search for text examines. */
  readonly maxExamined?: number;
}

export function createDocuments(deps: DocumentsOptions): Documents {
  const { engine, clock, onWork, maxExamined } = deps;
  const documents = createDocumentRepository(engine, maxExamined);
  const changes = createDocumentChanges(engine);
  const indexAgain = createIndexAgain(engine);
  const now = () => new Date(clock()).toISOString();
  const find = async (scope: KnowledgeScope, id: string) => {
    const row = await documents.find(scope, id.toLowerCase());
    if (row === undefined) throw noSuchDocument();
    return row;
  };

  const staged = createStagedOriginals(deps);
  return {
    receive: ({ spaceId }) => new OriginalWriter(staged, spaceId),
    add: createUpload(deps),
    put: createPutDocument(deps),
    async list(scope, { limit, after: cursor, state, search, fileName, order = 'oldest' }) {
      const count = readLimit(limit);
      const after = readAfter(cursor, order);
      const textOf = (id: string) => (order === 'oldest' ? id : `${NEWEST}${id}`);
      const through =
        search === undefined ? null : await documents.lastExamined(scope, after, order);
      const rows = await documents.list(scope, {
        after,
        order,
        through,
        count: count + 1,
        ...(state === undefined ? {} : { state }),
        ...(fileName === undefined ? {} : { fileName }),
      });
      const page = toPage(rows, count, ({ id }) => textOf(id), toDocument);
      return page.next === null && through !== null
        ? { ...page, next: encodeCursor(textOf(through)) }
        : page;
    },
    count: documents.count,
    async named(scope, ids) {
      const rows = await documents.named(scope, ids);
      return new Map(
        rows.map((row) => [
          row.id,
          {
            fileName: row.file_name,
            title: shownTitle(row),
            url: row.url,
            mimeType: row.mime_type,
            updatedAt: row.updated_at,
          },
        ]),
      );
    },
    show: async (scope, id) => toDocument(await find(scope, id)),
    async original(scope, id) {
      const row = await find(scope, id);
      const { number, size } = row;
      return { document: toDocument(row), number, parts: documents.parts(scope, number, size) };
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
    async change(scope, id, { title, url, metadata }) {
      const found = await find(scope, id);
      if (found.projection_id !== null) throw documentIsRecord();
      const write = {
        updated_at: now(),
        ...(title === undefined ? {} : { given_title: title }),
        ...(url === undefined ? {} : { url }),
        ...(metadata === undefined ? {} : { metadata }),
      };
      if (!(await changes.changeProperties(scope, found.id, write))) throw noSuchDocument();
      return toDocument(await find(scope, id));
    },
    mergeMetadata: createMergeMetadata(deps),
    async retry(scope, id, { force }) {
      const found = await find(scope, id);
      if (force && found.state !== 'failed') await indexAgain(scope.spaceId, found.id);
      else await changes.retryIndexing(scope, found.number);
      onWork();
      return toDocument(await find(scope, id));
    },
    async remove(scope, id) {
      const found = await find(scope, id);
      if (found.projection_id !== null) throw documentIsRecord();
      await changes.remove(scope, found.id);
      onWork();
    },
  };
}

function readAfter(cursor: string | undefined, order: DocumentOrder): string | null {
  const parameter = 'order';
  if (order === 'oldest') return readCursor(cursor, { parameter, form: NEWEST_CURSOR });
  const text = readTextCursor(cursor, NEWEST_CURSOR, { parameter, form: UUID });
  return text?.slice(NEWEST.length) ?? null;
}
