import type { RawBuilder } from 'kysely';
import { FairSemaphore } from '../../../lib/threads/index.ts';
import type { KnowledgeDatabase } from '../../ports/knowledge-engine.ts';
import type { Pool, Result, Session } from '../pool.ts';
import { retryRead } from '../retry.ts';

/** What one statement may take; then it fails with `StorageTooSlow`. */
export const TIME_LIMIT_MS = 2000;
/** Reads under way; the rest of the pool is for what is quick. */
const AT_ONCE = 4;
/**
 * A compiler, and other processes, are for statements that take longer than one may. All of it ends with the
 * transaction, as poolers need it.
 */
export const BEGIN = `begin transaction isolation level repeatable read read only;
  set local statement_timeout = ${TIME_LIMIT_MS};
  set local jit = off;
  set local max_parallel_workers_per_gather = 0`;

/** A read-only transaction in which each statement has two seconds. */
export interface Reading {
  run(sql: string, parameters?: readonly unknown[]): Promise<Result>;
  rows<Row>(query: RawBuilder<unknown>): Promise<Row[]>;
}

/** Reads that may have to look at everything in a space: a few at once, spaces in turn. */
export class Reads {
  readonly #pool: Pool;
  readonly #db: KnowledgeDatabase;
  readonly #scheduler = new FairSemaphore(AT_ONCE);

  /** @param db compiles queries. */
  constructor(pool: Pool, db: KnowledgeDatabase) {
    this.#pool = pool;
    this.#db = db;
  }

  /** As `FairSemaphore.run` says. `work` does nothing but read, since it is done again where a connection was found broken. */
  in<Answer>(
    spaceId: string,
    work: (reading: Reading) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const read = () => this.#pool.hold((session) => this.#read(session, work));
    return this.#scheduler.run(spaceId, () => retryRead(read), signal);
  }

  /** What has not begun fails. */
  close(): void {
    this.#scheduler.failAll(new Error('the store is closed'));
  }

  async #read<Answer>(
    session: Session,
    work: (reading: Reading) => Promise<Answer>,
  ): Promise<Answer> {
    // Nothing that is asked for here is quicker for reading a table from its beginning to its end.
    await session.run(`${BEGIN}; set local enable_seqscan = off`);
    const answer = await work({
      run: (sql, parameters) => session.run(sql, parameters),
      rows: async <Row>(query: RawBuilder<unknown>) => {
        const { sql, parameters } = query.compile(this.#db);
        return (await session.run(sql, parameters)).rows as Row[];
      },
    });
    await session.run('commit');
    return answer;
  }
}
