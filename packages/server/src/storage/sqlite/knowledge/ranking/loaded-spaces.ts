import type { DatabaseSync } from 'node:sqlite';
import { ChangeLog } from './change-log.ts';
import { LoadedSpace, SpaceStatements } from './loaded-space.ts';

/**
 * Maximum size of all spaces in memory, in bytes. Above this size, the least recently searched spaces are dropped. The space of the
 * current search stays, even if it exceeds the maximum alone.
 */
const MAX_BYTES = 256 * 1024 * 1024;

/** The spaces in memory. The map is ordered by last search, oldest first. */
export class LoadedSpaces {
  readonly #db: DatabaseSync;
  readonly #maxBytes: number;
  readonly #statements;
  readonly #log: ChangeLog;
  readonly #spaces = new Map<string, LoadedSpace>();
  /** Size of each space after its last search. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(db: DatabaseSync, maxBytes = MAX_BYTES) {
    this.#db = db;
    this.#maxBytes = maxBytes;
    this.#statements = new SpaceStatements(db);
    this.#log = new ChangeLog(db);
  }

  /** Returns a space, or `null` if it never had documents. Call it in the transaction that searches the space. */
  get(spaceId: string): LoadedSpace | null {
    this.#distributeChanges();
    const space = this.#spaces.get(spaceId) ?? this.#open(spaceId);
    if (space === null) return null;
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

  #open(spaceId: string): LoadedSpace | null {
    const row = this.#statements.space.get(spaceId);
    return row === undefined
      ? null
      : new LoadedSpace(this.#db, this.#statements, spaceId, Number(row['number']));
  }

  #distributeChanges(): void {
    const changes = this.#log.next();
    if (changes === null) {
      this.#spaces.clear();
      this.#sizes.clear();
      this.#bytes = 0;
    } else for (const change of changes) this.#spaces.get(change.spaceId)?.change(change);
  }
}
