import type { Generated, Kysely, RawBuilder } from 'kysely';
import type { Query } from '../../lib/text/index.ts';
import type { KnowledgeScope } from './knowledge-scope.ts';
import type { Write } from './transactions.ts';

/** A piece of a document that is found, shown and cited by itself. */
export interface Passage {
  /** The headings it stands under, outermost first; in a PDF the page, `Page 3`. */
  readonly heading: readonly string[];
  /** Never empty. Well-formed Unicode without U+0000; lines end with `\n`. */
  readonly text: string;
}

/** The tables of knowledge. Only the knowledge room is given them, and it asks with a scope. */
export interface KnowledgeTables {
  documents: DocumentRow;
  document_parts: DocumentPartRow;
  document_values: DocumentValueRow;
  document_events: DocumentEventRow;
}

export type KnowledgeDatabase = Kysely<KnowledgeTables>;

export interface DocumentRow {
  id: string;
  space_id: string;
  /** Where its passages and parts are; no two documents ever have the same. */
  number: Generated<number>;
  file_name: string;
  mime_type: string;
  language: string | null;
  title: string | null;
  /** Bytes of the original. */
  size: number;
  /** SHA-256 of the original, hex. */
  sha256: string;
  state: 'processing' | 'ready' | 'failed';
  /** A sentence; null unless it failed. */
  failure: string | null;
  /** How often its reading was begun without coming to an end. */
  attempts: Generated<number>;
  passages: number;
  /** JSON object. */
  metadata: string;
  /** The same with every string folded, for comparisons that leave letter case aside. */
  metadata_folded: string;
  file_name_folded: string;
  /** Of the events that keep it in step with another system; null when it was uploaded. */
  subject: string | null;
  /** RFC 3339 with milliseconds, UTC: filters compare it as a string. */
  created_at: string;
  updated_at: string;
}

/** A piece of an original, so that no single value is large. */
export interface DocumentPartRow {
  space_id: string;
  document: number;
  /** From 0. */
  part: number;
  bytes: Uint8Array;
}

/** A scalar of a document's metadata, by which filters find it. */
export interface DocumentValueRow {
  space_id: string;
  path: string;
  value: string;
  document: number;
}

/** The newest event of a subject that was looked at; it says which state its document is in. */
export interface DocumentEventRow {
  space_id: string;
  subject: string;
  id: string;
  /** Of the event in its space's feed. */
  position: number;
  event_id: string;
  source: string;
  type: 'upserted' | 'deleted';
  /** Unix milliseconds. */
  received_at: number;
  state: 'applied' | 'failed';
  /** An error body, JSON; null unless it failed. */
  failure: string | null;
  /** Unix milliseconds. */
  updated_at: number;
}

/** A document, whether it is still there or not. */
export interface DocumentKey {
  readonly spaceId: string;
  readonly number: number;
}

/** A passage as it is kept. */
export interface StoredPassage {
  /** Place in the document, from 0. */
  readonly position: number;
  readonly heading: string | null;
  readonly text: string;
}

/** A hit; the higher the score, the better, with no fixed scale. */
export interface RankedPassage extends StoredPassage {
  readonly documentId: string;
  readonly fileName: string;
  /** JSON object. */
  readonly metadata: string;
  readonly score: number;
}

/**
 * What knowledge needs of an engine beyond what all have in common: filters as SQL, full text, and
 * the room that passages take. What reads asks with a scope.
 */
export interface KnowledgeEngine {
  readonly db: KnowledgeDatabase;
  /**
   * The same for reading outside of the event loop, where a filter may have to look at every document.
   * Spaces take turns. A read of two seconds ends with `StorageTooSlow`.
   */
  scanning(scope: KnowledgeScope): KnowledgeDatabase;
  /** The condition on `documents` that a row lies in the scope: its space and its filter. */
  permits(scope: KnowledgeScope): RawBuilder<boolean>;
  /**
   * Where to look for documents of the scope that nothing else names, to stand behind `from` with the name `documents`:
   * the table, or those of its rows that an index says may lie in the scope. Whoever reads asks for `permits` besides.
   */
  likelyDocuments(scope: KnowledgeScope): Promise<RawBuilder<unknown>>;
  /**
   * The best passages of documents that are ready and in the scope, which holds inside the search:
   * what it hides takes no place and leaves no trace.
   *
   * @param signal aborts when nobody wants the answer any more: what has not begun then does not, and the
   * search fails with the signal's reason.
   */
  search(
    scope: KnowledgeScope,
    query: Query,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly RankedPassage[]>;
  /**
   * The passages whose vectors lie nearest to a query's, under the same conditions as `search`; its score
   * has a scale of its own. Documents that the model has not worked on yet are not among them.
   */
  nearest(
    scope: KnowledgeScope,
    query: QueryVector,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly RankedPassage[]>;
  /** The passages of a document from a position on, `limit` at most; never those of another, whatever the position. */
  passages(
    scope: KnowledgeScope,
    documentId: string,
    from: number,
    limit: number,
  ): Promise<StoredPassage[]>;
  readonly index: PassageIndex;
  readonly vectors: VectorIndex;
}

/** The vector of a query and the model that made it: it is compared with that model's vectors alone. */
export interface QueryVector {
  readonly model: string;
  readonly vector: Float32Array;
}

/** Vectors of passages, made in the background. The documents that still need some are a queue in the store. */
export interface VectorIndex {
  /** Queues some documents that another model worked on; true when there are none left. */
  queueOthers(model: string): Promise<boolean>;
  /**
   * What to embed next: pieces of documents in the order of their numbers, of at most `documents`
   * documents whose numbers are greater than `after`. Empty when there is none.
   */
  next(model: string, after: number, documents: number): Promise<readonly UnembeddedChunk[]>;
  /** Keeps the vectors of pieces, of those documents that are still there. */
  insert(model: string, pieces: readonly EmbeddedChunk[]): Promise<void>;
}

/** Passages of a document that follow each other and have no vectors. */
export interface UnembeddedChunk extends DocumentKey {
  /** The position of the first passage. */
  readonly first: number;
  /** With it the document has all its vectors. */
  readonly isLast: boolean;
  /** What says most about each passage: title, heading and text. */
  readonly texts: readonly string[];
}

export interface EmbeddedChunk extends Omit<UnembeddedChunk, 'texts'> {
  /** One for each text. */
  readonly vectors: readonly Float32Array[];
}

/** What is written beside the documents themselves. None of it is seen before its document is ready. */
export interface PassageIndex {
  /**
   * A number for a document of the space, never given before; inside of the transaction that stores the document
   * or, not to hold up others, before it. Null when the space is gone: what is stored in it now would never be removed.
   */
  nextNumber(trx: KnowledgeDatabase, spaceId: string): Promise<number | null>;
  /**
   * Gives a document another number, in the transaction that has it read anew, so that what a reading or
   * a model still makes for the old one is dropped with what was kept for it. Null when the space is gone.
   */
  renumber(trx: KnowledgeDatabase, spaceId: string, number: number): Promise<number | null>;
  /** What `renumber` writes, where the next number is known beforehand. */
  renumberWrites(spaceId: string, number: number, next: number): readonly Write[];
  /**
   * Keeps some passages of a document, `first` being the position of the first of them.
   *
   * @param fence of the term in which it is read; see `Term`.
   */
  insert(
    document: PassageOwner,
    first: number,
    passages: readonly Passage[],
    fence?: readonly Write[],
  ): Promise<void>;
  /** Notes, in the transaction that deletes a document, that there is something to drop. */
  noteRemains(trx: KnowledgeDatabase, document: DocumentKey): Promise<void>;
  /** The same, to be written together with the rest. */
  remainsWrite(document: DocumentKey): Write;
  /** Deleted documents that have left something, `limit` at most. */
  remains(limit: number): Promise<DocumentKey[]>;
  /** Removes some of a document's passages, and when it is deleted all else it left; true when all is gone. */
  dropSome(document: DocumentKey, fence?: readonly Write[]): Promise<boolean>;
  /** Deletes some documents of a space that is gone; true when none is left. */
  dropSomeOfSpace(spaceId: string): Promise<boolean>;
  /** Spaces that are gone and have left documents. */
  orphanedSpaces(): Promise<string[]>;
}

/** The document whose passages are kept. */
export interface PassageOwner extends DocumentKey {
  readonly fileName: string;
  readonly title: string | null;
}
