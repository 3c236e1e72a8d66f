import { BackgroundWork } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import {
  type DocumentKey,
  type JobWork,
  type KnowledgeEngine,
  LeaseLost,
  type PassageOwner,
  type Term,
} from '../../storage/ports/index.ts';
import { isLanguage } from '../documents/document.rules.ts';
import type { Extraction, Extractor, KnownMimeType, Passage } from '../parsers/extractor.ts';
import {
  createIndexingRepository,
  type IndexingRepository,
  type IndexingResult,
  type QueuedDocument,
} from './indexing.repository.ts';

/** Passages per transaction, so that other writes never wait long. */
const PASSAGES_PER_WRITE = 50;
const REMAINS_PER_STEP = 20;
const RETRY_MS = 1000;
const FIND_DELETED_INTERVAL_MS = 60_000;
/**
 * Maximum attempts at a document that end without a result, because the extractor failed for an unknown reason or the
 * process ended. A process is hardly ever killed because of a document, so the limit is not low.
 */
const MAX_ATTEMPTS = 10;
const TOO_MANY_ATTEMPTS: IndexingResult = {
  state: 'failed',
  failure:
    'Its text could not be read, several times over, for a reason in the log of the service.',
};

export interface IndexerDeps {
  readonly engine: KnowledgeEngine;
  readonly extractor: Extractor;
  /** Called after a failure that is not the document's. The indexer retries. */
  readonly onError: (error: unknown) => void;
  /** Called when a document has become ready. */
  readonly onReady: () => void;
}

/**
 * Extracts and indexes documents one after the other, and cleans up after deleted ones, for one term of its job. The
 * store has the queue, so a crash loses no work: a document that was partly indexed is indexed again.
 */
export class Indexer implements JobWork {
  readonly #term: Term;
  readonly #engine: KnowledgeEngine;
  readonly #extractor: Extractor;
  readonly #onError: (error: unknown) => void;
  readonly #onReady: () => void;
  readonly #documents: IndexingRepository;
  readonly #work = new BackgroundWork({
    step: () => this.#step(),
    onFailure: (error) => this.#pauseAfter(error),
  });
  readonly #deletedSpaces = new Set<string>();
  /** Next query for deleted spaces, in milliseconds of a monotonic clock. Hints about them can be missed. */
  #findDeletedAt = 0;
  /** The space of the last document. */
  #lastSpaceId = '';
  /** Attempts by document that are counted but not finished. Waiting for unavailable storage is not another attempt. */
  readonly #attempts = new Map<number, number>();
  #current: QueuedDocument | null = null;

  constructor({ engine, extractor, onError, onReady }: IndexerDeps, term: Term) {
    this.#term = term;
    this.#engine = engine;
    this.#extractor = extractor;
    this.#onError = onError;
    this.#onReady = onReady;
    this.#documents = createIndexingRepository(engine);
  }

  /** @param hint a deleted space, or ''. The indexer verifies the deletion before it removes anything. */
  onHint(hint: string): void {
    if (hint !== '') this.#findDeletedAt = 0;
    this.#work.wake();
  }

  /** Resolves when no work is in flight. The next term indexes an interrupted document again. */
  async stop(): Promise<void> {
    await this.#work.close();
    if (!this.#term.isHeld()) return;
    // An interruption is not a failed attempt. If storage is unavailable it counts as one.
    if (this.#current !== null)
      await this.#documents.cancelAttempt(this.#current).catch(this.#onError);
  }

  #pauseAfter(error: unknown): number {
    if (!(error instanceof StorageUnavailable)) this.#attempts.clear();
    // The new holder of the job does the work.
    if (!(error instanceof LeaseLost)) this.#onError(error);
    return RETRY_MS;
  }

  /**
   * Returns `false` if there was nothing to do. Users wait for documents, so remains of deleted ones come last. Cleaning
   * up deleted spaces alternates with documents, since most of the queue may belong to deleted spaces.
   */
  async #step(): Promise<boolean> {
    if (!this.#term.isHeld()) return false;
    if (performance.now() >= this.#findDeletedAt) await this.#findDeletedSpaces();
    const document =
      (await this.#documents.next(this.#lastSpaceId)) ?? (await this.#documents.next(''));
    if (document !== undefined) {
      this.#lastSpaceId = document.spaceId;
      await this.#index(document);
    }
    const removed = await this.#removeSomeOfSpace();
    if (removed || document !== undefined) return true;
    const remains = await this.#engine.index.remains(REMAINS_PER_STEP);
    for (const document of remains) await this.#drop(document);
    return remains.length > 0;
  }

  async #findDeletedSpaces(): Promise<void> {
    this.#findDeletedAt = performance.now() + FIND_DELETED_INTERVAL_MS;
    for (const spaceId of await this.#engine.index.orphanedSpaces())
      this.#deletedSpaces.add(spaceId);
  }

  async #removeSomeOfSpace(): Promise<boolean> {
    const [spaceId] = this.#deletedSpaces;
    if (spaceId === undefined) return false;
    if (await this.#engine.index.dropSomeOfSpace(spaceId)) this.#deletedSpaces.delete(spaceId);
    return true;
  }

  async #drop(document: DocumentKey): Promise<void> {
    const { index } = this.#engine;
    while (!this.#work.signal.aborted && !(await index.dropSome(document, this.#term.fence)));
  }

  async #index(document: QueuedDocument): Promise<void> {
    const { signal } = this.#work;
    const attempts = await this.#startAttempt(document);
    // Removes passages of an earlier attempt.
    await this.#drop(document);
    if (signal.aborted) return;
    if (attempts > MAX_ATTEMPTS) {
      await this.#documents.finish(document, TOO_MANY_ATTEMPTS, this.#term.fence);
      this.#endAttempt(document);
      return;
    }
    const bytes = await this.#documents.original(document);
    if (bytes === null) {
      // The document was deleted since it was dequeued.
      this.#endAttempt(document);
      return;
    }
    const extraction = await this.#extractor.extract({
      bytes,
      mimeType: document.mimeType as KnownMimeType,
      transfer: true,
    });
    if (extraction.ok)
      await this.#insertPassages({ ...document, title: extraction.title }, extraction.passages);
    if (signal.aborted) return;
    const result = resultOf(extraction, document);
    const exists = await this.#documents.finish(document, result, this.#term.fence);
    this.#endAttempt(document);
    // The document was deleted meanwhile: its new passages would otherwise remain.
    if (!exists) await this.#drop(document);
    else if (extraction.ok) this.#onReady();
  }

  /** Returns the number of attempts, this one included. */
  async #startAttempt(document: QueuedDocument): Promise<number> {
    const known = this.#attempts.get(document.number);
    if (known !== undefined) return known;
    const attempts = await this.#documents.startAttempt(document);
    this.#attempts.set(document.number, attempts);
    this.#current = document;
    return attempts;
  }

  #endAttempt({ number }: QueuedDocument): void {
    this.#attempts.delete(number);
    this.#current = null;
  }

  async #insertPassages(owner: PassageOwner, passages: readonly Passage[]): Promise<void> {
    for (let first = 0; first < passages.length; first += PASSAGES_PER_WRITE) {
      if (this.#work.signal.aborted) return;
      const some = passages.slice(first, first + PASSAGES_PER_WRITE);
      await this.#engine.index.insert(owner, first, some, this.#term.fence);
    }
  }
}

function resultOf(extraction: Extraction, { language }: QueuedDocument): IndexingResult {
  if (!extraction.ok) return { state: 'failed', failure: extraction.reason };
  const named = extraction.language;
  return {
    state: 'ready',
    passages: extraction.passages.length,
    title: extraction.title,
    language: language ?? (named !== null && isLanguage(named) ? named : null),
  };
}
