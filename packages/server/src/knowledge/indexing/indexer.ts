import { BackgroundWork } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { DocumentKey, KnowledgeEngine, PassageOwner } from '../../storage/ports/index.ts';
import { type JobWork, LeaseLost, type Term } from '../../storage/ports/index.ts';
import { isLanguage } from '../documents/language.rules.ts';
import type { Extraction, Extractor, KnownMimeType, Passage } from '../parsers/extractor.ts';
import {
  createIndexingRepository,
  type IndexingRepository,
  type ReadOutcome,
  type UnreadDocument,
} from './indexing.repository.ts';

/** What goes into the index in one transaction, so that other writes never wait long. */
const PASSAGES_PER_STEP = 50;
const REMAINS_AT_ONCE = 20;
const RETRY_MS = 1000;
const FIND_GONE_EVERY_MS = 60_000;
/**
 * A document whose reading was begun so often without an end, because it failed by no limit that is
 * known or the process ended, is left. A kill is hardly ever the document's doing, so it is not few.
 */
const MAX_ATTEMPTS = 10;
const GIVEN_UP: ReadOutcome = {
  state: 'failed',
  failure:
    'Its text could not be read, several times over, for a reason in the log of the service.',
};

export interface IndexerDeps {
  readonly engine: KnowledgeEngine;
  readonly extractor: Extractor;
  /** Indexer met a failure that is not the document's; it is tried again. */
  readonly onError: (error: unknown) => void;
  /** A document has become ready. */
  readonly onReady: () => void;
}

/**
 * Reads the texts of documents, one after the other, and removes what deleted ones left, for one term of its
 * job. What is to be done stands in the store, so that a crash loses none of it: a document that was half
 * read is read anew.
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
  readonly #goneSpaces = new Set<string>();
  /** When the store is asked for them again, by a clock that only goes forward: hints of them can be missed. */
  #findGoneAt = 0;
  /** The space whose turn was last. */
  #served = '';
  /** Documents whose reading has begun, and how often; they may wait for the disk, which is no failure of theirs. */
  readonly #begun = new Map<number, number>();
  #current: UnreadDocument | null = null;

  constructor({ engine, extractor, onError, onReady }: IndexerDeps, term: Term) {
    this.#term = term;
    this.#engine = engine;
    this.#extractor = extractor;
    this.#onError = onError;
    this.#onReady = onReady;
    this.#documents = createIndexingRepository(engine);
  }

  /** @param hint a space that is gone; '' for none. That it is gone the store has to say, before anything is removed. */
  onHint(hint: string): void {
    if (hint !== '') this.#findGoneAt = 0;
    this.#work.wake();
  }

  /** Resolves when nothing is under way any more; what was, is read anew in the next term. */
  async stop(): Promise<void> {
    await this.#work.close();
    if (!this.#term.isHeld()) return;
    // That it was interrupted is no failure of the document. Where the disk takes nothing it counts as one.
    if (this.#current !== null) await this.#documents.putBack(this.#current).catch(this.#onError);
  }

  #pauseAfter(error: unknown): number {
    if (!(error instanceof StorageUnavailable)) this.#begun.clear();
    // Whoever has the job now does it.
    if (!(error instanceof LeaseLost)) this.#onError(error);
    return RETRY_MS;
  }

  /**
   * Whether there was anything to do. Somebody waits for a document, and nobody for remains. What is
   * deleted with its space goes in turns with documents, since it may be most of what there is to read.
   */
  async #step(): Promise<boolean> {
    if (!this.#term.isHeld()) return false;
    if (performance.now() >= this.#findGoneAt) await this.#findGoneSpaces();
    const document = (await this.#documents.next(this.#served)) ?? (await this.#documents.next(''));
    if (document !== undefined) {
      this.#served = document.spaceId;
      await this.#read(document);
    }
    const removed = await this.#removeSomeOfSpace();
    if (removed || document !== undefined) return true;
    const remains = await this.#engine.index.remains(REMAINS_AT_ONCE);
    for (const document of remains) await this.#drop(document);
    return remains.length > 0;
  }

  async #findGoneSpaces(): Promise<void> {
    this.#findGoneAt = performance.now() + FIND_GONE_EVERY_MS;
    for (const spaceId of await this.#engine.index.orphanedSpaces()) this.#goneSpaces.add(spaceId);
  }

  async #removeSomeOfSpace(): Promise<boolean> {
    const [spaceId] = this.#goneSpaces;
    if (spaceId === undefined) return false;
    if (await this.#engine.index.dropSomeOfSpace(spaceId)) this.#goneSpaces.delete(spaceId);
    return true;
  }

  async #drop(document: DocumentKey): Promise<void> {
    const { index } = this.#engine;
    while (!this.#work.signal.aborted && !(await index.dropSome(document, this.#term.fence)));
  }

  async #read(document: UnreadDocument): Promise<void> {
    const { signal } = this.#work;
    const attempts = await this.#begin(document);
    // What an earlier try may have left.
    await this.#drop(document);
    if (signal.aborted) return;
    if (attempts > MAX_ATTEMPTS) {
      await this.#documents.finish(document, GIVEN_UP, this.#term.fence);
      this.#ended(document);
      return;
    }
    const bytes = await this.#documents.original(document);
    if (bytes === null) {
      // Deleted since it was found.
      this.#ended(document);
      return;
    }
    const extraction = await this.#extractor.extract({
      bytes,
      mimeType: document.mimeType as KnownMimeType,
      transfer: true,
    });
    if (extraction.ok)
      await this.#keep({ ...document, title: extraction.title }, extraction.passages);
    if (signal.aborted) return;
    const outcome = outcomeOf(extraction, document);
    const there = await this.#documents.finish(document, outcome, this.#term.fence);
    this.#ended(document);
    // Deleted while it was read: what was kept since then would stay for good.
    if (!there) await this.#drop(document);
    else if (extraction.ok) this.#onReady();
  }

  /** How often its reading has begun, this time included. */
  async #begin(document: UnreadDocument): Promise<number> {
    const known = this.#begun.get(document.number);
    if (known !== undefined) return known;
    const attempts = await this.#documents.begin(document);
    this.#begun.set(document.number, attempts);
    this.#current = document;
    return attempts;
  }

  #ended({ number }: UnreadDocument): void {
    this.#begun.delete(number);
    this.#current = null;
  }

  async #keep(owner: PassageOwner, passages: readonly Passage[]): Promise<void> {
    for (let first = 0; first < passages.length; first += PASSAGES_PER_STEP) {
      if (this.#work.signal.aborted) return;
      const some = passages.slice(first, first + PASSAGES_PER_STEP);
      await this.#engine.index.insert(owner, first, some, this.#term.fence);
    }
  }
}

function outcomeOf(extraction: Extraction, { language }: UnreadDocument): ReadOutcome {
  if (!extraction.ok) return { state: 'failed', failure: extraction.reason };
  const named = extraction.language;
  return {
    state: 'ready',
    passages: extraction.passages.length,
    title: extraction.title,
    language: language ?? (named !== null && isLanguage(named) ? named : null),
  };
}
