import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { PassageKey, PassageRow, ScopeReads } from '../../full-text/loaded-spaces/index.ts';
import type { Select } from '../reads/select-thread.ts';
import type { Statements } from '../statements.ts';
import type { ScopeSelect, ScopeSelects, SharedText } from './scope-selects.ts';

/** Keys of scopes whose evaluation takes several steps. Computing the key of a large filter can take longer than a step. */
const keys = new WeakMap<ScopeSelects, string>();

/** Runs the statements of a scope in a search thread. */
export class ScopeStatements implements ScopeReads {
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
    const key = keys.get(this.#selects) ?? keyOf(this.#selects);
    keys.set(this.#selects, key);
    return key;
  }

  get isExact(): boolean {
    return this.#selects.isExact;
  }

  *candidates(): Generator<number> {
    const { sql, parameters } = withTexts(this.#selects.candidates);
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const rows = statement.iterate(...parameters) as Iterable<unknown> as Iterable<[number]>;
    for (const [number] of rows) yield number;
  }

  documentsAmong(numbers: readonly number[]): readonly number[] {
    return this.#rows(this.#selects.among, numbers).map(({ number }) => Number(number));
  }

  passages(keys: readonly PassageKey[]): readonly PassageRow[] {
    if (keys.length === 0) return [];
    return this.#rows(this.#selects.passages, keys) as unknown as readonly PassageRow[];
  }

  #rows(select: ScopeSelect, list: readonly unknown[]): readonly Record<string, unknown>[] {
    const { sql, parameters } = withTexts(select);
    return this.#statements.run(sql, [JSON.stringify(list), ...parameters.slice(1)]).rows;
  }
}

function keyOf({ among }: ScopeSelects): string {
  const { sql, parameters } = withTexts(among);
  return JSON.stringify([
    sql,
    ...parameters.map((value) => (typeof value === 'bigint' ? { bigint: String(value) } : value)),
  ]);
}

function withTexts({ sql, parameters }: ScopeSelect): Select {
  return { sql, parameters: parameters.map((value) => (isShared(value) ? value.text : value)) };
}

function isShared(value: SQLInputValue | SharedText): value is SharedText {
  return typeof value === 'object' && value !== null && 'text' in value;
}
