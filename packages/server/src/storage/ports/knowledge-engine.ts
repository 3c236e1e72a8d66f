import type { SelectQueryBuilder } from 'kysely';
import type { WorkOwner } from '../../lib/scheduling/index.ts';
import type { Query } from '../../lib/text/index.ts';
import type { KnowledgeScope } from './knowledge-scope.ts';
import type { KnowledgeDatabase, KnowledgeTables } from './tables/knowledge.ts';
import type { Write, WriteIf } from './transactions.ts';

/** The unit of search and citation: a piece of a document. */
export interface Passage {
  /** Enclosing headings, outermost first. For a PDF, the page number, such as `Page 3`. */
  readonly heading: readonly string[];
  /** Non-empty, well-formed Unicode without U+0000. Lines end with `\n`. */
  readonly text: string;
}

export interface DocumentKey {
  readonly spaceId: string;
  readonly number: number;
}

export interface StoredPassage {
  readonly position: number;
  /** Headings joined with ` › `. Null if there are none. */
  readonly heading: string | null;
  readonly text: string;
}

/** A search result. Higher scores are better. Scores have no fixed scale. */
export interface RankedPassage extends StoredPassage {
  readonly documentId: string;
  readonly fileName: string;
  /** The given title, or else the title in the file, or else the file name. */
  readonly title: string;
  readonly url: string | null;
  /** JSON object. */
  readonly metadata: string;
  /** Projection of a record. Null for all other documents. */
  readonly projectionId: string | null;
  /** RFC 3339 in UTC with milliseconds. */
  readonly updatedAt: string;
  readonly score: number;
}

/**
 * Engine-specific storage of documents: filters in SQL, full-text search, vector search, and the storage of passages.
 * Every read requires a scope.
 *
 * @example
 * const scope = scopeOfLink(widget, filters);
 * const hits = await engine.search(scope, readQuery('refund policy'), 10);
 * const documents = await engine.documents(scope, (inScope) => inScope.select(['id', 'title']), { after: null, count: 20 });
 */
export interface KnowledgeEngine {
  readonly db: KnowledgeDatabase;
  readonly writeIf: WriteIf;
  /**
   * Makes a query lock the rows that it returns, until its transaction ends. No effect on SQLite, where a transaction excludes all
   * other writers.
   *
   * Every transaction that changes documents of an existing space has the same lock order, so that no two of them wait for each other:
   * first the current versions of its documents, by space and ID, then their newer versions, then the rows of other tables.
   */
  forUpdate<Row>(query: DocumentSelect<Row>): DocumentSelect<Row>;
  /**
   * Reads documents in the scope. The read runs outside the event loop. Spaces and callers share the time fairly.
   * All searches and reads of the engine throw `ReadsOverloaded` and `TimeBudgetUsed` in the same cases as `FairSemaphore`, and
   * `StorageTooSlow` if they take longer than two seconds. Two documents may be read from different snapshots, but each document is in the
   * scope in its snapshot.
   *
   * @param query selects columns. May add conditions, but no limit. Without `page`, the conditions must be such that an index finds
   *   few documents.
   */
  documents<Row>(
    scope: KnowledgeScope,
    query: DocumentQuery<Row>,
    page?: DocumentPage,
  ): Promise<Row[]>;
  /** Throws the error of `search` if a search by this caller would be rejected immediately. */
  admit(owner: WorkOwner): void;
  /** Charges a caller for time outside the threads of the store, such as preparing a search. */
  charge(owner: WorkOwner, ms: number): void;
  /**
   * Returns the best-ranked passages of ready documents in the scope. The scope is applied inside the search, so
   * documents outside it affect neither the number nor the order of the results.
   *
   * @param signal cancels pending reads. The search then rejects with the signal's reason.
   */
  search(
    scope: KnowledgeScope,
    query: Query,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly RankedPassage[]>;
  /**
   * Returns the passages whose vectors are most similar to the query, under the same conditions as `search`. Scores are
   * not comparable with those of `search`. Documents without vectors of the query's model are not searched.
   */
  nearest(
    scope: KnowledgeScope,
    query: QueryVector,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly RankedPassage[]>;
  /** Returns at most `limit` passages of a document in the scope, starting at the position `from`. `from` can be any integer. */
  passages(
    scope: KnowledgeScope,
    documentId: string,
    from: number,
    limit: number,
  ): Promise<StoredPassage[]>;
  readonly index: PassageIndex;
  readonly vectors: VectorIndex;
}

/** Adds columns and conditions to a query of the documents in a scope. */
export type DocumentQuery<Row> = (inScope: DocumentSelect<object>) => DocumentSelect<Row>;

/** The documents that follow the ID `after` in an order, but at most `count`. */
export interface DocumentPage {
  readonly after: string | null;
  readonly count: number;
  /** Default `oldest`. */
  readonly order?: DocumentOrder;
}

/** Order of IDs: ascending or descending. IDs contain the time at which a document was added. */
export type DocumentOrder = 'oldest' | 'newest';

/**
 * SQL of each order: the direction, the operator for the IDs that follow an ID (`after`), the operator for the IDs up to an ID (`through`),
 * and a text that precedes all IDs (`start`).
 */
export const ORDERS = {
  oldest: { direction: 'asc', after: '>', through: '<=', start: '' },
  newest: { direction: 'desc', after: '<', through: '>=', start: '~' },
} as const;

export type DocumentSelect<Row> = SelectQueryBuilder<KnowledgeTables, 'documents', Row>;

/** The vector of a query. It is compared only with vectors of the same model. */
export interface QueryVector {
  readonly model: string;
  readonly vector: Float32Array;
}

/** Vectors of passages, computed in the background. The store contains a queue of documents without vectors. */
export interface VectorIndex {
  /** Queues a limited number of documents whose vectors were computed by another model. Returns `true` when no such documents are left. */
  queueStale(model: string): Promise<boolean>;
  /**
   * Returns the next queued chunks to embed, one per document. They are of at most `documents` documents, and alternate between the
   * spaces, so a space with many queued documents does not delay the others.
   *
   * @param progress default: none, so the chunks start with the first space.
   */
  next(
    model: string,
    documents: number,
    progress?: EmbeddingProgress,
  ): Promise<readonly UnembeddedChunk[]>;
  /** Stores the vectors of chunks. Ignores chunks of deleted documents. */
  insert(model: string, chunks: readonly EmbeddedChunk[]): Promise<void>;
}

/** Progress in the embedding of queued documents. */
export interface EmbeddingProgress {
  /** The space of the last chunk. The next chunks start with the space after it. `''` before the first chunk. */
  readonly lastSpace: string;
  /** Document numbers by space. The space's documents with this or a smaller number are skipped. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** Consecutive passages of a document without vectors. */
export interface UnembeddedChunk extends DocumentKey {
  readonly first: number;
  /** True if this chunk completes the document's vectors. */
  readonly isLast: boolean;
  /** Texts to embed, one per passage: title or file name, heading, and text. */
  readonly texts: readonly string[];
}

export interface EmbeddedChunk extends Omit<UnembeddedChunk, 'texts'> {
  /** Vectors of `UnembeddedChunk.texts`, in order. */
  readonly vectors: readonly Float32Array[];
}

/** Writes document numbers and passages. Readers see passages only after their document is ready. */
export interface PassageIndex {
  /**
   * Returns an unused document number, or null if the space was deleted. Call it in the transaction that inserts the
   * document or, to keep that transaction short, before it. Do not insert documents into a deleted space: nothing
   * would ever remove them.
   */
  nextNumber(trx: KnowledgeDatabase, spaceId: string): Promise<number | null>;
  /**
   * Like `nextNumber`, outside of a transaction. The space may be deleted before the document is inserted, so insert the document
   * under the condition `spaceExists`.
   */
  reserveNumber(spaceId: string): Promise<number | null>;
  /** Returns a condition for `WriteIf`: the space exists until the transaction ends. */
  spaceExists(spaceId: string): Write;
  /**
   * Returns the writes that assign a new number, obtained from `nextNumber`, to a document that must be indexed again. They queue the
   * deletion of the data stored under the old number. Results that the indexer or a model still computes for the old number are discarded.
   */
  renumberWrites(spaceId: string, number: number, next: number): readonly Write[];
  /**
   * Stores consecutive passages of a document.
   *
   * @param first position of the first passage.
   * @param fence fence of the indexer's term; see `Term.fence`.
   */
  insert(
    document: PassageOwner,
    first: number,
    passages: readonly Passage[],
    fence?: readonly Write[],
  ): Promise<void>;
  /**
   * Returns the writes that store consecutive passages of a document. Run them in a transaction that has found the document.
   *
   * @param first position of the first passage.
   */
  insertWrites(
    document: PassageOwner,
    first: number,
    passages: readonly Passage[],
  ): readonly Write[];
  /** Returns the writes that replace the first passage of a document, which must have no other passages. */
  replaceWrites(document: PassageOwner, passage: Passage): readonly Write[];
  /** Returns the write that queues the cleanup of a document's passages and vectors. Run it in the transaction that deletes the document. */
  queueCleanup(document: DocumentKey): Write;
  /**
   * Returns documents whose data must be removed.
   *
   * @param now Unix milliseconds. Rows of `document_remains` that are due later are omitted.
   */
  pendingCleanups(limit: number, now: number): Promise<DocumentKey[]>;
  /**
   * Deletes a limited number of a document's passages and vectors. Returns `true` when all are deleted. The last step
   * also deletes the parts of a deleted document, unless they are the original of an earlier version.
   */
  deleteSome(document: DocumentKey, fence?: readonly Write[]): Promise<boolean>;
  /** Deletes a limited number of documents of a deleted space and queues their cleanup. Returns `true` when none are left. */
  deleteSomeOfSpace(spaceId: string): Promise<boolean>;
  orphanedSpaces(): Promise<string[]>;
}

/** The document of a passage. Its file name and title are indexed with every passage. */
export interface PassageOwner extends DocumentKey {
  readonly fileName: string;
  readonly title: string | null;
}
