import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { isPrepared } from '../ports/prepared.ts';
import { beginTransaction, type Pool, type Result, type Session } from './pool.ts';

/**
 * Creates a Kysely dialect on the pool. A statement outside a transaction is its own transaction. Transactions are `SERIALIZABLE`
 * by default, as in SQLite. `inTransaction` retries them.
 */
export function createDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PoolDriver implements Driver {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#pool);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).release();
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel = 'serializable' }: TransactionSettings,
  ): Promise<void> {
    await (connection as Connection).begin(isolationLevel);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).end('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).end('rollback');
  }
}

/** Borrows a pooled connection for each statement, or holds a single connection during a transaction. */
class Connection implements DatabaseConnection {
  readonly #pool: Pool;
  #session: Session | null = null;
  #release = (): void => {};

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, query, parameters } = compiled;
    const often = { often: isPrepared(compiled) };
    if (this.#session !== null)
      return toQueryResult(await this.#session.run(sql, parameters, often));
    const isRead = query.kind === 'SelectQueryNode';
    const run = isRead ? this.#pool.read : this.#pool.run;
    return toQueryResult(await run(sql, parameters, often));
  }

  // biome-ignore lint/correctness/useYield: required by Kysely's interface, but streaming is not supported
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }

  async begin(isolationLevel: string): Promise<void> {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const held = Promise.withResolvers<Session>();
    this.#pool
      .hold(async (session) => {
        held.resolve(session);
        await released;
      })
      .catch(held.reject);
    this.#session = await held.promise;
    this.#release = resolve;
    await beginTransaction(this.#session, isolationLevel);
  }

  /** Commits. If this method throws, the transaction was rolled back or its outcome is unknown. */
  async end(command: 'commit' | 'rollback'): Promise<void> {
    await this.#session?.run(command);
  }

  release(): void {
    this.#session = null;
    this.#release();
  }
}

function toQueryResult<R>({ rows, count }: Result): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(count) };
}
