import { setTimeout as sleep } from 'node:timers/promises';
import { BackgroundWork, type Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import {
  type JobWork,
  type KnowledgeEngine,
  LeaseLost,
  type Term,
} from '../../storage/ports/index.ts';
import type { Extractor } from '../parsers/extractor.ts';
import { indexDocument, removePassages } from './index-document.ts';
import {
  createIndexingRepository,
  type IndexingRepository,
  type QueuedDocument,
} from './indexing.repository.ts';
import { keyOf, StartedDocuments } from './started-documents.ts';

/** Deleted documents that are cleaned up per step. */
const REMAINS_PER_STEP = 20;
const RETRY_MS = 1000;
const FIND_DELETED_INTERVAL_MS = 60_000;
/**
 * Interval at which the indexer looks for work without a hint. For example, there is no hint when the original of a crashed
 * upload becomes due for removal.
 */
const POLL_INTERVAL_MS = 60_000;
/**
 * Maximum documents in flight per space and parser process. With two, the process parses one document while the indexer
 * stores the passages of the other.
 */
const STARTED_PER_PROCESS = 2;

export interface IndexerDeps {
  readonly engine: KnowledgeEngine;
  readonly extractor: Extractor;
  readonly clock: Clock;
  /** Called after a failure that the document did not cause. The indexer retries. */
  readonly onError: (error: unknown) => void;
  /** Called when a document of the space can be found. */
  readonly onReady: (spaceId: string) => void;
}

interface Attempt {
  readonly document: QueuedDocument;
  readonly number: number;
}

/**
 * Extracts and indexes several documents concurrently and removes the passages of deleted documents, during one term of its
 * job. The extractor decides which of the started documents it parses. The queue is stored in the database, so a crash loses
 * no work: a partly indexed document is indexed again.
 */
export class Indexer implements JobWork {
  readonly #term: Term;
  readonly #engine: KnowledgeEngine;
  readonly #extractor: Extractor;
  readonly #clock: Clock;
  readonly #poll = setInterval(() => this.#work.wake(), POLL_INTERVAL_MS).unref();
  readonly #onError: (error: unknown) => void;
  readonly #onReady: (spaceId: string) => void;
  readonly #documents: IndexingRepository;
  readonly #work = new BackgroundWork({
    step: () => this.#step(),
    onFailure: (error) => this.#pauseAfter(error),
  });
  readonly #deletedSpaces = new Set<string>();
  /**
   * Time of the next query for deleted spaces, in monotonic milliseconds. The query is repeated because hints about deleted
   * spaces can be lost.
   */
  #findDeletedAt = 0;
  /** The space of the previous document. The next document comes from another space if possible. */
  #lastSpaceId = '';
  /** Started attempts by document. A retry after unavailable storage continues the same attempt. */
  readonly #attempts = new Map<string, Attempt>();
  readonly #started: StartedDocuments;
  readonly #running = new Set<Promise<void>>();

  constructor({ engine, extractor, clock, onError, onReady }: IndexerDeps, term: Term) {
    this.#term = term;
    this.#engine = engine;
    this.#extractor = extractor;
    this.#clock = clock;
    this.#onError = onError;
    this.#onReady = onReady;
    this.#documents = createIndexingRepository(engine);
    this.#started = new StartedDocuments(extractor.parallel * STARTED_PER_PROCESS);
  }

  /** @param hint The ID of a deleted space, or an empty string. The indexer verifies the deletion. */
  onHint(hint: string): void {
    if (hint !== '') this.#findDeletedAt = 0;
    this.#work.wake();
  }

  /** Interrupts work in flight. The next term indexes an interrupted document again. */
  async stop(): Promise<void> {
    clearInterval(this.#poll);
    await this.#work.close();
    await Promise.all(this.#running);
    if (!this.#term.isHeld()) return;
    // An interruption is not a failed attempt, so the attempt is cancelled. If storage is unavailable, the attempt still counts.
    for (const { document } of this.#attempts.values())
      await this.#documents.cancelAttempt(document).catch(this.#onError);
  }

  #pauseAfter(error: unknown): number {
    // After a lost lease the new holder continues the work.
    if (!(error instanceof LeaseLost)) this.#onError(error);
    return RETRY_MS;
  }

  /**
   * Returns `false` if there was nothing to do. Deleted documents are cleaned up last, because users wait for new documents.
   * Cleaning up deleted spaces alternates with indexing, because most queued documents may belong to deleted spaces.
   */
  async #step(): Promise<boolean> {
    if (!this.#term.isHeld()) return false;
    if (performance.now() >= this.#findDeletedAt) await this.#findDeletedSpaces();
    const document = await this.#next();
    if (document !== undefined) {
      this.#lastSpaceId = document.spaceId;
      this.#start(document);
    }
    const removed = await this.#removeSomeOfSpace();
    if (removed || document !== undefined) return true;
    return this.#cleanUpDocuments();
  }

  async #next(): Promise<QueuedDocument | undefined> {
    if (this.#started.isFull) return undefined;
    const skipped = new Set([...this.#started.busySpaces, ...this.#deletedSpaces]);
    return (await this.#nextAfter(this.#lastSpaceId, skipped)) ?? this.#nextAfter('', skipped);
  }

  /** Skips spaces with one query per page, because a condition in SQL would read all of their queued documents. */
  async #nextAfter(
    spaceId: string,
    skipped: ReadonlySet<string>,
  ): Promise<QueuedDocument | undefined> {
    // So large that a page with documents of one space contains a document that was not started.
    const count = this.#started.maxOfSpace + 1;
    for (let after = spaceId; ; ) {
      // A document can be finished while the query runs. The page then still contains the document, which must not start again.
      const started = this.#started.keys;
      const page = await this.#documents.queued(after, count);
      const next = page.find(
        (document) => !skipped.has(document.spaceId) && !started.has(keyOf(document)),
      );
      const last = page.at(-1)?.spaceId;
      if (next !== undefined || last === undefined || page.length < count) return next;
      // The page may lack documents of its last space. If the space is not skipped, the next page starts with it.
      const before = page.findLast((document) => document.spaceId !== last)?.spaceId;
      after = skipped.has(last) || before === undefined ? last : before;
    }
  }

  #start(document: QueuedDocument): void {
    this.#started.add(document);
    const running = this.#index(document)
      .catch((error) => this.#retryLater(document, error))
      .finally(() => {
        this.#running.delete(running);
        this.#started.delete(document);
        this.#work.wake();
      });
    this.#running.add(running);
  }

  async #index(document: QueuedDocument): Promise<void> {
    const { signal } = this.#work;
    const onDeferred = () => {
      this.#started.defer(document);
      this.#work.wake();
    };
    const attempt = await this.#startAttempt(document);
    if (attempt === null) return;
    const isReady = await indexDocument(
      {
        engine: this.#engine,
        extractor: this.#extractor,
        documents: this.#documents,
        term: this.#term,
        signal,
      },
      document,
      attempt,
      onDeferred,
    );
    if (signal.aborted) return;
    this.#attempts.delete(keyOf(document));
    if (isReady) this.#onReady(document.spaceId);
  }

  /** Skips the document for a while. Other documents are indexed in the meantime. */
  async #retryLater(document: QueuedDocument, error: unknown): Promise<void> {
    const { signal } = this.#work;
    // Interrupted work may throw.
    if (signal.aborted) return;
    if (!(error instanceof StorageUnavailable)) this.#attempts.delete(keyOf(document));
    await sleep(this.#pauseAfter(error), null, { signal, ref: false }).catch(() => {});
  }

  /** Returns the number of attempts, including this one. `null`: the document is no longer queued. */
  async #startAttempt(document: QueuedDocument): Promise<number | null> {
    const known = this.#attempts.get(keyOf(document));
    if (known !== undefined) return known.number;
    const number = await this.#documents.startAttempt(document);
    if (number === null) return null;
    this.#attempts.set(keyOf(document), { document, number });
    return number;
  }

  async #findDeletedSpaces(): Promise<void> {
    this.#findDeletedAt = performance.now() + FIND_DELETED_INTERVAL_MS;
    for (const spaceId of await this.#engine.index.orphanedSpaces())
      this.#deletedSpaces.add(spaceId);
  }

  /**
   * Removes some passages of a deleted space. Skips spaces with documents in flight: passages that they store after the removal
   * would never be removed.
   */
  async #removeSomeOfSpace(): Promise<boolean> {
    const spaceId = [...this.#deletedSpaces].find((id) => !this.#started.hasOfSpace(id));
    if (spaceId === undefined) return false;
    if (await this.#engine.index.deleteSomeOfSpace(spaceId)) this.#deletedSpaces.delete(spaceId);
    return true;
  }

  async #cleanUpDocuments(): Promise<boolean> {
    const { index } = this.#engine;
    const pending = await index.pendingCleanups(REMAINS_PER_STEP, this.#clock());
    const remains = pending.filter((document) => !this.#started.has(document));
    for (const document of remains)
      await removePassages(index, document, this.#term, this.#work.signal);
    return remains.length > 0;
  }
}
