import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

const MAX_CACHED = 256;

export interface StatementResult {
  readonly rows: Record<string, unknown>[];
  readonly changes: number;
  readonly insertId: number | null;
}

/** Runs SQL on one connection and keeps the prepared statements, the least recently used leave first. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #cache = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  run(sql: string, parameters: readonly unknown[]): StatementResult {
    const { statement, returnsRows } = this.#prepare(sql);
    const values = parameters.map(toSqlite);
    if (returnsRows) return { rows: statement.all(...values), changes: 0, insertId: null };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], changes: Number(changes), insertId: Number(lastInsertRowid) };
  }

  #prepare(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const known = this.#cache.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    this.#cache.set(sql, entry);
    if (this.#cache.size > MAX_CACHED) {
      const oldest = this.#cache.keys().next();
      if (!oldest.done) this.#cache.delete(oldest.value);
    }
    return entry;
  }
}

function toSqlite(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} cannot be a parameter`);
}
