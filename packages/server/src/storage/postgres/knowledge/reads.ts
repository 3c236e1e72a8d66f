import type { RawBuilder } from 'kysely';
import type { WorkOwner } from '../../../lib/scheduling/index.ts';
import { FairSemaphore, type ReadLimits } from '../../../lib/threads/index.ts';
import type { KnowledgeDatabase } from '../../ports/tables/knowledge.ts';
import type { Pool, Result, Session } from '../pool.ts';
import { retryRead } from '../retry.ts';

/** Timeout of one statement in milliseconds. A statement that exceeds the timeout fails with `StorageTooSlow`. */
export const TIME_LIMIT_MS = 2000;
/** Maximum concurrent reads. The remaining connections of the pool serve short statements. */
const MAX_CONCURRENT_READS = 4;
/**
 * Milliseconds after which the server ends a read whose client sends no statement. Longer than a search waits for its turn between two
 * statements. If a replica is suspended or its machine loses power, its snapshot would otherwise prevent the server from removing old rows
 * for hours.
 */
const IDLE_MS = 60_000;
/**
 * JIT compilation and parallel workers only help statements that take longer than the timeout. All settings are local to the
 * transaction, because a pooler does not preserve session settings.
 */
export const BEGIN = `begin transaction isolation level repeatable read read only;
  set local statement_timeout = ${TIME_LIMIT_MS};
  set local idle_in_transaction_session_timeout = ${IDLE_MS};
  set local jit = off;
  set local max_parallel_workers_per_gather = 0`;

/** A read-only transaction. Each statement times out after two seconds. */
export interface ReadTransaction {
  run(sql: string, parameters?: readonly unknown[]): Promise<Result>;
  rows<Row>(query: RawBuilder<unknown>): Promise<Row[]>;
}

/** Schedules reads that may scan a whole space. Few reads run at a time. Spaces and callers share the time fairly. */
export class Reads {
  readonly #pool: Pool;
  readonly #db: KnowledgeDatabase;
  readonly #scheduler: FairSemaphore;

  constructor(pool: Pool, db: KnowledgeDatabase, limits: ReadLimits) {
    this.#pool = pool;
    this.#db = db;
    const options = { permits: MAX_CONCURRENT_READS, name: 'postgres-reads', limits };
    this.#scheduler = new FairSemaphore(options);
  }

  /** Runs `work` as `FairSemaphore.run` does. `work` must not write, because it runs again if the connection breaks. */
  in<Result>(
    owner: WorkOwner,
    work: (transaction: ReadTransaction) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const read = () => this.#pool.hold((session) => this.#read(session, work));
    return this.#scheduler.run(owner, () => retryRead(read), signal);
  }

  close(): void {
    this.#scheduler.failAll(new Error('the store is closed'));
  }

  async #read<Result>(
    session: Session,
    work: (transaction: ReadTransaction) => Promise<Result>,
  ): Promise<Result> {
    // An index is always faster than a sequential scan for these reads.
    await session.run(`${BEGIN}; set local enable_seqscan = off`);
    const result = await work({
      run: (sql, parameters) => session.run(sql, parameters),
      rows: async <Row>(query: RawBuilder<unknown>) => {
        const { sql, parameters } = query.compile(this.#db);
        return (await session.run(sql, parameters)).rows as Row[];
      },
    });
    await session.run('commit');
    return result;
  }
}
