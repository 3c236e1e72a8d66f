import type {
  DocumentKey,
  KnowledgeEngine,
  PassageOwner,
  Term,
  Write,
} from '../../storage/ports/index.ts';
import { isLanguage } from '../documents/document.rules.ts';
import { DocumentDeleted } from '../documents/document-parts.repository.ts';
import type {
  Extraction,
  Extractor,
  KnownMimeType,
  Passage,
  PassageSink,
} from '../parsers/extractor.ts';
import type { IndexingRepository, IndexingResult, QueuedDocument } from './indexing.repository.ts';

/**
 * Maximum attempts per document. An attempt counts if the extractor fails for an unknown reason or the process ends. The limit
 * is high, because a document is rarely the reason why a process ends.
 */
const MAX_ATTEMPTS = 10;
const TOO_MANY_ATTEMPTS: IndexingResult = {
  state: 'failed',
  failure:
    'The text could not be extracted after several attempts. The log of the service has the reason.',
};

export interface IndexDocumentDeps {
  readonly engine: KnowledgeEngine;
  readonly extractor: Extractor;
  readonly documents: IndexingRepository;
  readonly term: Term;
  readonly signal: AbortSignal;
}

/**
 * Extracts and indexes a document. The document and its passages are streamed, so neither is in memory as a whole.
 *
 * @param attempts number of started attempts, including this one.
 * @param onDeferred called if the extraction takes long.
 * @returns `true` if the document can now be found.
 */
export async function indexDocument(
  { engine, extractor, documents, term, signal }: IndexDocumentDeps,
  document: QueuedDocument,
  attempts: number,
  onDeferred: () => void,
): Promise<boolean> {
  const passages = new StoredPassages(engine, document, term, signal);
  await passages.clear();
  // A stop ends the removal early, so the result must not be stored yet.
  if (signal.aborted) return false;
  if (attempts > MAX_ATTEMPTS) {
    await documents.finish(document, TOO_MANY_ATTEMPTS, [], term.fence);
    return false;
  }
  const extraction = await extract();
  if (extraction === null) return false;
  if (!extraction.ok) await passages.clear();
  if (signal.aborted) return false;
  const exists = await documents.finish(
    document,
    resultOf(extraction),
    passages.lastWrites(),
    term.fence,
  );
  // If the document was deleted concurrently, its new passages would otherwise remain.
  if (!exists) await passages.clear();
  return exists && extraction.ok;

  /** Returns null if the document was deleted. */
  async function extract(): Promise<Extraction | null> {
    const { spaceId, size } = document;
    const mimeType = document.mimeType as KnownMimeType;
    const read = () => documents.original(document);
    try {
      return await extractor.extract(
        { spaceId, mimeType, size, read, signal, onDeferred },
        passages,
      );
    } catch (error) {
      if (error instanceof DocumentDeleted) return null;
      throw error;
    }
  }
}

/** The passages of a document that is being indexed. The last batch is stored together with the result. */
class StoredPassages implements PassageSink {
  readonly #index: KnowledgeEngine['index'];
  readonly #document: QueuedDocument;
  readonly #term: Term;
  readonly #signal: AbortSignal;
  #owner: PassageOwner;
  /** Number of stored passages. */
  #count = 0;
  #last: readonly Passage[] = [];

  constructor(
    { index }: KnowledgeEngine,
    document: QueuedDocument,
    term: Term,
    signal: AbortSignal,
  ) {
    this.#index = index;
    this.#document = document;
    this.#term = term;
    this.#signal = signal;
    this.#owner = { ...document, title: null };
  }

  /** Removes the passages of an earlier attempt. */
  async clear(): Promise<void> {
    this.#count = 0;
    this.#last = [];
    await removePassages(this.#index, this.#document, this.#term, this.#signal);
  }

  async begin({ title }: { readonly title: string | null }): Promise<void> {
    if (this.#count > 0) await this.clear();
    this.#last = [];
    this.#owner = { ...this.#document, title };
  }

  async add(passages: readonly Passage[]): Promise<void> {
    this.#signal.throwIfAborted();
    const before = this.#last;
    this.#last = passages;
    await this.#index.insert(this.#owner, this.#count, before, this.#term.fence);
    this.#count += before.length;
  }

  /** Returns the writes of the passages that are not stored yet. */
  lastWrites(): readonly Write[] {
    return this.#index.insertWrites(this.#owner, this.#count, this.#last);
  }
}

/** Removes all passages of a document in short transactions, unless the signal aborts. */
export async function removePassages(
  index: KnowledgeEngine['index'],
  document: DocumentKey,
  { fence }: Term,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !(await index.deleteSome(document, fence)));
}

function resultOf(extraction: Extraction): IndexingResult {
  if (!extraction.ok) return { state: 'failed', failure: extraction.reason };
  const { passages, title, language } = extraction;
  return {
    state: 'ready',
    passages,
    title,
    declaredLanguage: language !== null && isLanguage(language) ? language : null,
  };
}
