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

export type Read = (
  sql: string,
  parameters: readonly SQLInputValue[],
) => StatementResult | Promise<StatementResult>;

export function readFrom(db: DatabaseSync): Read {
  const statements = new Statements(db);
  return (sql, parameters) => statements.run(sql, parameters);
}

/**
 * Creates a Kysely dialect over two connections. Selects outside a transaction use `read`; all other statements use the
 * writer. Concurrent single writes share an fsync. A transaction uses the writer exclusively, so code inside a
 * transaction must not await a write outside the transaction: that would be a deadlock.
 */
export function createDialect(read: Read, writer: Writer): Dialect {
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => new WriterDriver(read, writer),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/**
 * Allows concurrent queries. By default Kysely runs SQLite queries sequentially: writes could not share an fsync, and
 * reads would wait for writes.
 */
class ConcurrentAdapter extends SqliteAdapter {
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

  // biome-ignore lint/correctness/useYield: required by Kysely's interface, but not supported
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#writer.begin();
  }

  /** Commits. If the commit fails, rolls back and throws. */
  async commit(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = null;
    await transaction?.commit();
  }

  /** Rolls back. Kysely also calls this method after a failed commit, when there is nothing to roll back. */
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
