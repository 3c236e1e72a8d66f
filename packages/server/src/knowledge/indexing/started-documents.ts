import type { DocumentKey } from '../../storage/ports/index.ts';
import type { QueuedDocument } from './indexing.repository.ts';

/** Maximum documents of all spaces that are queued for extraction at the same time. */
const MAX_ACTIVE = 64;
/** Maximum deferred documents per space. A deferred document uses no memory while it waits. */
const MAX_DEFERRED_PER_SPACE = 100;

interface Started {
  readonly document: QueuedDocument;
  /** `true`: the extraction is slow, so the caller may start other documents in the meantime. */
  isDeferred: boolean;
}

/** The documents that the indexer has started and not finished. */
export class StartedDocuments {
  readonly #perSpace: number;
  readonly #documents = new Map<string, Started>();

  /** @param perSpace maximum documents of one space that are queued for extraction at the same time. */
  constructor(perSpace: number) {
    this.#perSpace = perSpace;
  }

  get isFull(): boolean {
    return (
      [...this.#documents.values()].filter(({ isDeferred }) => !isDeferred).length >= MAX_ACTIVE
    );
  }

  /** Maximum number of started documents per space. */
  get maxOfSpace(): number {
    const counts = new Map<string, number>();
    for (const { document } of this.#documents.values())
      counts.set(document.spaceId, (counts.get(document.spaceId) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  }

  /** Spaces from which no further document may be taken for parsing. */
  get busySpaces(): readonly string[] {
    const counts = new Map<string, { active: number; deferred: number }>();
    for (const { document, isDeferred } of this.#documents.values()) {
      const count = counts.get(document.spaceId) ?? { active: 0, deferred: 0 };
      if (isDeferred) count.deferred++;
      else count.active++;
      counts.set(document.spaceId, count);
    }
    return [...counts].flatMap(([spaceId, { active, deferred }]) =>
      active >= this.#perSpace || deferred >= MAX_DEFERRED_PER_SPACE ? [spaceId] : [],
    );
  }

  add(document: QueuedDocument): void {
    this.#documents.set(keyOf(document), { document, isDeferred: false });
  }

  defer(document: DocumentKey): void {
    const started = this.#documents.get(keyOf(document));
    if (started !== undefined) started.isDeferred = true;
  }

  delete(document: DocumentKey): void {
    this.#documents.delete(keyOf(document));
  }

  has(document: DocumentKey): boolean {
    return this.#documents.has(keyOf(document));
  }

  /** Keys of the documents, by `keyOf`. */
  get keys(): ReadonlySet<string> {
    return new Set(this.#documents.keys());
  }

  hasOfSpace(spaceId: string): boolean {
    return [...this.#documents.values()].some(({ document }) => document.spaceId === spaceId);
  }
}

export function keyOf({ spaceId, number }: DocumentKey): string {
  return `${spaceId}/${number}`;
}
