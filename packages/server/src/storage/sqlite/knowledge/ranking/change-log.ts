import type { DatabaseSync } from 'node:sqlite';
import type { DocumentChange } from '../../../in-memory/index.ts';

/** Reads the log of document changes. The log is written by triggers. The log contains the last 100,000 changes. */
export class ChangeLog {
  readonly #select;
  readonly #range;
  #last: number;

  /** Starts reading after the last change. */
  constructor(db: DatabaseSync) {
    this.#select = db.prepare(
      'select space_id as spaceId, number, reindexed from document_changes where id > ? order by id',
    );
    // SQLite finds the minimum and the maximum without a scan only in separate queries.
    this.#range = db.prepare(
      `select (select min(id) from document_changes) as first,
        (select max(id) from document_changes) as last`,
    );
    this.#last = this.#bounds().last;
  }

  /** Returns the changes since the last call, or `null` if the log no longer contains all of them. */
  next(): readonly DocumentChange[] | null {
    const { first, last } = this.#bounds();
    if (last === this.#last) return [];
    const before = this.#last;
    this.#last = last;
    if (first > before + 1 || last < before) return null;
    return this.#select.all(before).map((row) => ({
      spaceId: String(row['spaceId']),
      number: Number(row['number']),
      reindexed: row['reindexed'] !== 0,
    }));
  }

  #bounds(): { readonly first: number; readonly last: number } {
    const row = this.#range.get();
    return { first: Number(row?.['first'] ?? 0), last: Number(row?.['last'] ?? 0) };
  }
}
