import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

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

/** Runs SQL on one connection and keeps the prepared statements; the least recently used leave first. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #cache = new Map<string, Prepared>();

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
    const known = this.#cache.get(sql);
    const prepared = known ?? this.#compile(sql);
    // A Map keeps the order of insertion: what was just used goes to the end.
    this.#cache.delete(sql);
    this.#cache.set(sql, prepared);
    if (this.#cache.size > MAX_CACHED) {
      const oldest = this.#cache.keys().next();
      if (!oldest.done) this.#cache.delete(oldest.value);
    }
    return prepared;
  }

  #compile(sql: string): Prepared {
    const statement = this.#db.prepare(sql);
    const returnsRows = statement.columns().length > 0;
    // The last rowid of a write, which is a passage's after its insert, may be too large for a double.
    if (!returnsRows) statement.setReadBigInts(true);
    return { statement, returnsRows };
  }
}
