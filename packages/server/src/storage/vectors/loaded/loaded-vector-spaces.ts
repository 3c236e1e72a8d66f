import { LoadedSketches } from './loaded-sketches.ts';
import type { VectorKind } from './reads.ts';

/**
 * Maximum size of all spaces in memory, in bytes. Above this size, the least recently searched spaces are dropped. The space of the
 * current search stays, even if this space alone exceeds the maximum.
 */
const MAX_BYTES = 256 * 1024 * 1024;

export interface ChangedDocument {
  readonly spaceId: string;
  readonly number: number;
}

/** The spaces whose sketches are in memory. The map is ordered by last search, oldest first. */
export class LoadedVectorSpaces {
  readonly #maxBytes: number;
  readonly #spaces = new Map<string, LoadedSketches>();

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Records changes of documents. Before each search, record all changes that the snapshot of the search contains and the snapshot
   * of the previous search did not contain. `null` means that some of these changes are unknown; then all spaces are loaded again.
   */
  record(changes: readonly ChangedDocument[] | null): void {
    if (changes === null) this.#spaces.clear();
    else for (const { spaceId, number } of changes) this.#spaces.get(spaceId)?.change(number);
  }

  /** Returns the sketches of one kind. Drops sketches of another kind, because a space usually has vectors of one model only. */
  get(spaceId: string, kind: VectorKind): LoadedSketches {
    const known = this.#spaces.get(spaceId);
    const space =
      known?.kind.model === kind.model && known.kind.dimensions === kind.dimensions
        ? known
        : new LoadedSketches(kind);
    this.#spaces.delete(spaceId);
    this.#spaces.set(spaceId, space);
    return space;
  }

  /** Drops the least recently searched spaces while all spaces together are too large. Call it after the search of a space. */
  evict(searched: string): void {
    let bytes = 0;
    for (const { byteLength } of this.#spaces.values()) bytes += byteLength;
    for (const [spaceId, { byteLength }] of this.#spaces) {
      if (bytes <= this.#maxBytes || spaceId === searched) return;
      this.#spaces.delete(spaceId);
      bytes -= byteLength;
    }
  }
}
