import type { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { toSqlite } from './parameters.ts';
import { type StatementResult, Statements } from './statements.ts';
import type { Transaction } from './transaction.ts';
import type { Writer } from './writer.ts';

/**
 * Kysely over the two connections: a select outside a transaction runs at once on the reading
 * connection of this thread, everything else goes to the writer. A single write shares its fsync
 * with what arrives at the same time; a transaction has the writer alone, so inside of one nothing may
 * be awaited that writes outside of it.
 */
export function createDialect(reader: DatabaseSync, writer: Writer): Dialect {
  const statements = new Statements(reader);
  return {
    createAdapter: () => new ManyAtOnce(),
    createDriver: () => new WriterDriver(statements, writer),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/**
 * Kysely lets SQLite run one query at a time, since it expects one connection. Here each write waits
 * for its fsync, and one after the other they could not share it, and reads would wait behind them.
 */
class ManyAtOnce extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class WriterDriver implements Driver {
  readonly #reader: Statements;
  readonly #writer: Writer;

  constructor(reader: Statements, writer: Writer) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#reader, this.#writer);
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).rollBack();
  }
}

class Connection implements DatabaseConnection {
  readonly #reader: Statements;
  readonly #writer: Writer;
  #transaction: Transaction | null = null;

  constructor(reader: Statements, writer: Writer) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return toQueryResult(await this.#run(query));
  }

  async #run({ sql, query, parameters }: CompiledQuery): Promise<StatementResult> {
    const values = toSqlite(parameters);
    if (this.#transaction !== null) return this.#transaction.run(sql, values);
    if (query.kind === 'SelectQueryNode') return this.#reader.run(sql, values);
    return this.#writer.statement(sql, values);
  }

  // biome-ignore lint/correctness/useYield: part of Kysely's interface, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#writer.begin();
  }

  /** When it throws, the transaction has been rolled back. */
  async commit(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    await transaction?.commit();
  }

  /** Kysely asks for it after a failed commit too, when there is nothing left to do. */
  async rollBack(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    await transaction?.rollBack();
  }
}

function toQueryResult<R>({ rows, changes, insertId }: StatementResult): QueryResult<R> {
  return {
    rows: rows as R[],
    numAffectedRows: BigInt(changes),
    ...(insertId === null ? {} : { insertId: BigInt(insertId) }),
  };
}
