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
import type { Pool, Result, Session } from './pool.ts';

/**
 * Kysely over the pool. What is outside of a transaction is one of its own. Transactions see the database as
 * if they were alone (`SERIALIZABLE`), which is what the embedded store gives; see `inTransaction`.
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

/** Takes one of the pool's connections for each statement, and keeps one while a transaction is open. */
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

  // biome-ignore lint/correctness/useYield: part of Kysely's interface, and nothing here streams
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
    await this.#session.run(`begin isolation level ${isolationLevel}`);
  }

  /** After a commit that throws, the transaction was rolled back, or nobody knows. */
  async end(word: 'commit' | 'rollback'): Promise<void> {
    await this.#session?.run(word);
  }

  release(): void {
    this.#session = null;
    this.#release();
  }
}

function toQueryResult<R>({ rows, count }: Result): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(count) };
}
