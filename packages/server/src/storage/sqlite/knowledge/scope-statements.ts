import type { DatabaseSync } from 'node:sqlite';
import type { Select } from '../reads/select-thread.ts';
import type { Statements } from '../statements.ts';
import type { ScopeSelects } from './scope-selects.ts';

/** Runs the statements of a scope in a search thread. */
export class ScopeStatements {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #selects: ScopeSelects;

  constructor(db: DatabaseSync, statements: Statements, selects: ScopeSelects) {
    this.#db = db;
    this.#statements = statements;
    this.#selects = selects;
  }

  /** Identifies the scope within its space. Unlike `candidates`, the statement `among` contains the whole filter. */
  get key(): string {
    const { sql, parameters } = this.#selects.among;
    return JSON.stringify([
      sql,
      ...parameters.map((value) => (typeof value === 'bigint' ? { bigint: String(value) } : value)),
    ]);
  }

  *candidates(): Generator<number> {
    const { sql, parameters } = this.#selects.candidates;
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const rows = statement.iterate(...parameters) as Iterable<unknown> as Iterable<[number]>;
    for (const [number] of rows) yield number;
  }

  documentsAmong(numbers: readonly number[]): readonly number[] {
    return this.#rows(this.#selects.among, numbers).map(({ number }) => Number(number));
  }

  /** @param keys objects with the members `number` and `position`. */
  passages(keys: readonly object[]): readonly Record<string, unknown>[] {
    return keys.length === 0 ? [] : this.#rows(this.#selects.passages, keys);
  }

  #rows({ sql, parameters }: Select, list: readonly unknown[]): readonly Record<string, unknown>[] {
    return this.#statements.run(sql, [JSON.stringify(list), ...parameters.slice(1)]).rows;
  }
}
