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
import { type StatementResult, Statements } from './statements.ts';
import type { Step, Writer } from './writer.ts';

/**
 * Kysely over the two connections: a select outside a transaction runs at once on the reading
 * connection of this thread, everything else goes to the writer. A single write shares its fsync
 * with what arrives at the same time; a transaction has the writer alone.
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
    await (connection as Connection).end('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).end('rollback');
  }
}

class Connection implements DatabaseConnection {
  readonly #reader: Statements;
  readonly #writer: Writer;
  #transaction: { step: Step; release: () => void } | null = null;

  constructor(reader: Statements, writer: Writer) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query;
    if (this.#transaction !== null)
      return toQueryResult(await this.#transaction.step(sql, parameters));
    if (query.query.kind === 'SelectQueryNode')
      return toQueryResult(this.#reader.run(sql, parameters));
    return toQueryResult(await this.#writer.statement(sql, parameters));
  }

  // biome-ignore lint/correctness/useYield: part of Kysely's interface, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }

  /** Takes the writer for itself until `end`. */
  async begin(): Promise<void> {
    const { promise: ready, resolve } = Promise.withResolvers<Step>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    void this.#writer.exclusive((step) => {
      resolve(step);
      return released;
    });
    const step = await ready;
    this.#transaction = { step, release };
    try {
      await step('begin immediate', []);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async end(word: 'commit' | 'rollback'): Promise<void> {
    try {
      await this.#transaction?.step(word, []);
    } catch (error) {
      // A full disk has already rolled back; after a failed commit nothing may stay open.
      if (word === 'commit') await this.#transaction?.step('rollback', []).catch(() => {});
      throw error;
    } finally {
      this.#release();
    }
  }

  #release(): void {
    this.#transaction?.release();
    this.#transaction = null;
  }
}

function toQueryResult<R>({ rows, changes, insertId }: StatementResult): QueryResult<R> {
  return {
    rows: rows as R[],
    numAffectedRows: BigInt(changes),
    ...(insertId === null ? {} : { insertId: BigInt(insertId) }),
  };
}
