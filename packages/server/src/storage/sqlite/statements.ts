import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';

const MAX_CACHED = 256;

export interface StatementResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number;
  readonly insertId: number | null;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** Runs SQL on one connection and caches the prepared statements. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #cache = new LRUCache<string, Prepared>({ max: MAX_CACHED });

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  run(sql: string, parameters: readonly SQLInputValue[]): StatementResult {
    const { statement, returnsRows } = this.#prepare(sql);
    if (returnsRows) return { rows: statement.all(...parameters), changes: 0, insertId: null };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], changes: Number(changes), insertId: Number(lastInsertRowid) };
  }

  #prepare(sql: string): Prepared {
    const cached = this.#cache.get(sql);
    if (cached !== undefined) return cached;
    const prepared = this.#compile(sql);
    this.#cache.set(sql, prepared);
    return prepared;
  }

  #compile(sql: string): Prepared {
    const statement = this.#db.prepare(sql);
    const returnsRows = statement.columns().length > 0;
    // The last rowid of an inserted passage may exceed 2^53.
    if (!returnsRows) statement.setReadBigInts(true);
    return { statement, returnsRows };
  }
}
