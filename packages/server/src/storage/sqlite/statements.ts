import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { type Failure, toFailure as failureOf } from '../../lib/threads/index.ts';

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

/** Converts query parameters to SQLite values. Throws `TypeError` for a value of an unsupported type. */
export function toSqlite(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map(toValue);
}

function toValue(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`values of type ${typeof value} cannot be SQL parameters`);
}

// https://www.sqlite.org/rescode.html
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT_NOTNULL = 1299;
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;
/** Includes `BUSY`: another program may lock the database for longer than the busy timeout. */
const UNWRITABLE: ReadonlySet<number> = new Set([BUSY, READONLY, IOERR, FULL, CANTOPEN]);

/** Reports whether SQLite could not read, write or sync a file. */
export function isIoError(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return (errcode & 0xff) === IOERR;
}

/** Converts an error of SQLite or of the ports to a value that can be sent to another thread. */
export function toFailure(error: unknown): Failure {
  const { errcode, message = String(error) } = error as { errcode?: number; message?: string };
  if (errcode === CONSTRAINT_UNIQUE || errcode === CONSTRAINT_PRIMARYKEY)
    return { kind: 'unique', message };
  if (errcode === CONSTRAINT_NOTNULL) return { kind: 'null', message };
  if (errcode !== undefined && UNWRITABLE.has(errcode & 0xff))
    return { kind: 'unwritable', message };
  return failureOf(error);
}
