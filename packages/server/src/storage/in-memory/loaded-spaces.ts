import { totalmem } from 'node:os';
import type { DocumentChange } from './reads.ts';

const MIN_MAX_BYTES = 256 * 1024 * 1024;
/** Share of the memory of the machine or container. There can be two threads with spaces in memory. */
const MEMORY_SHARE = 1 / 6;
/**
 * Maximum size of all spaces in memory, in bytes. Above this size, the least recently searched spaces are dropped. The space of the
 * current search stays, even if this space alone exceeds the maximum. A smaller maximum than the size of a large space would drop the
 * space whenever another space is searched.
 */
const MAX_BYTES = Math.max(MIN_MAX_BYTES, MEMORY_SHARE * memoryBytes());

interface Space {
  readonly byteLength: number;
  change(change: DocumentChange): void;
}

/** The spaces in memory. The map is ordered by last search, oldest first. */
export class LoadedSpaces<Loaded extends Space> {
  readonly #maxBytes: number;
  readonly #spaces = new Map<string, Loaded>();
  /** Size of each space after its last search. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Records changes of documents. Before each search, record all changes that the snapshot of the search contains and the snapshot
   * of the previous search did not contain. `null` means that some of these changes are unknown; then all spaces are loaded again.
   */
  record(changes: readonly DocumentChange[] | null): void {
    if (changes === null) {
      this.#spaces.clear();
      this.#sizes.clear();
      this.#bytes = 0;
    } else for (const change of changes) this.#spaces.get(change.spaceId)?.change(change);
  }

  /**
   * Returns a space.
   *
   * @param create creates the space if it is not in memory.
   * @param isUsable `false`: the space in memory must be replaced.
   */
  get(
    spaceId: string,
    create: () => Loaded,
    isUsable: (space: Loaded) => boolean = () => true,
  ): Loaded {
    const known = this.#spaces.get(spaceId);
    const space = known !== undefined && isUsable(known) ? known : create();
    this.#spaces.delete(spaceId);
    this.#spaces.set(spaceId, space);
    return space;
  }

  /** Drops the least recently searched spaces while all spaces together are too large. Call it after the search of a space. */
  evict(searched: string): void {
    this.#resize(searched, this.#spaces.get(searched)?.byteLength ?? 0);
    for (const spaceId of this.#spaces.keys()) {
      if (this.#bytes <= this.#maxBytes || spaceId === searched) return;
      this.#spaces.delete(spaceId);
      this.#resize(spaceId, 0);
    }
  }

  #resize(spaceId: string, size: number): void {
    this.#bytes += size - (this.#sizes.get(spaceId) ?? 0);
    if (size === 0) this.#sizes.delete(spaceId);
    else this.#sizes.set(spaceId, size);
  }
}

/** Returns the memory of the machine, or the limit of the container if it is lower. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
