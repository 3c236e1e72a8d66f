import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
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
import { type StatementResult, Statements, toSqlite } from './statements.ts';
import type { Transaction, Writer } from './writer/writer.ts';

/** Runs a select outside of any transaction. */
export type Read = (
  sql: string,
  parameters: readonly SQLInputValue[],
) => StatementResult | Promise<StatementResult>;

/** Runs selects at once, on this connection. */
export function readFrom(db: DatabaseSync): Read {
  const statements = new Statements(db);
  return (sql, parameters) => statements.run(sql, parameters);
}

/**
 * Kysely over two connections: a select outside a transaction is given to `read`, everything else
 * goes to the writer. A single write shares its fsync
 * with what arrives at the same time; a transaction has the writer alone, so inside of one nothing may
 * be awaited that writes outside of it.
 */
export function createDialect(read: Read, writer: Writer): Dialect {
  return {
    createAdapter: () => new ManyAtOnce(),
    createDriver: () => new WriterDriver(read, writer),
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
  readonly #read: Read;
  readonly #writer: Writer;

  constructor(read: Read, writer: Writer) {
    this.#read = read;
    this.#writer = writer;
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#read, this.#writer);
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
  readonly #read: Read;
  readonly #writer: Writer;
  #transaction: Transaction | null = null;

  constructor(read: Read, writer: Writer) {
    this.#read = read;
    this.#writer = writer;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return toQueryResult(await this.#run(query));
  }

  async #run({ sql, query, parameters }: CompiledQuery): Promise<StatementResult> {
    const values = toSqlite(parameters);
    if (this.#transaction !== null) return this.#transaction.run(sql, values);
    if (query.kind === 'SelectQueryNode') return this.#read(sql, values);
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
