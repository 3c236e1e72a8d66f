import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import { SerialisationFailure, StorageUnavailable } from '../../lib/threads/index.ts';

const MAX_ATTEMPTS = 20;
const MAX_DELAY_MS = 100;

/**
 * Runs `work` in a serialisable transaction and retries it after a serialisation failure. `work` may run several
 * times, so it must only run SQL and must not keep results of a failed attempt. Throws `StorageUnavailable` after
 * 20 attempts.
 *
 * @example
 * const renamed = await inTransaction(db, (trx) =>
 *   trx.updateTable('spaces').set({ name }).where('id', '=', spaceId).executeTakeFirst());
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return retryConflicts(() => db.transaction().execute(work));
}

/**
 * Like `inTransaction`, but on PostgreSQL each statement sees what was committed before it. `work` must first lock every row on which its
 * writes depend (`KnowledgeEngine.forUpdate`). It then waits for other writers of these rows. In a serialisable transaction,
 * PostgreSQL aborts it instead, and also after changes of neighbouring rows, so most transactions would fail in a small space with many
 * writers.
 */
export async function inReadCommitted<Tables, Result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return retryConflicts(() => db.transaction().setIsolationLevel('read committed').execute(work));
}

/** Calls `run` and retries it after serialisation failures, with a random delay. Throws the same errors as `inTransaction`. */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1)
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof SerialisationFailure)) throw error;
      if (attempts === MAX_ATTEMPTS) throw new StorageUnavailable('overloaded', { cause: error });
      await sleep(Math.random() * Math.min(MAX_DELAY_MS, 2 ** attempts));
    }
}

/** A write statement. Kysely's insert, update and delete builders are writes. */
export interface Write {
  compile(): CompiledQuery;
}

/**
 * Runs writes atomically and in order, in one round trip. Resolves when they are on disk. This is cheaper than
 * `inTransaction`, which blocks other writers while its caller computes the next statement.
 *
 * @example
 * await writeAtomically([
 *   db.insertInto('spaces').values(space),
 *   db.insertInto('space_origins').values(origins),
 * ]);
 */
export type WriteAtomically = (writes: readonly Write[]) => Promise<void>;

/**
 * Runs a condition and then, if the condition changed or returned a row, the writes. Everything is atomic. Returns `false` and
 * writes nothing if the condition changed and returned no row. On SQLite, concurrent calls share an fsync.
 *
 * @example
 * const isDeleted = await writeIf(db.deleteFrom('links').where('id', '=', id), [auditEntry]);
 */
export type WriteIf = (condition: Write, writes: readonly Write[]) => Promise<boolean>;

/**
 * Returns the writes that must be committed together with an operation, such as its stored answer. The operation's repository runs
 * the writes in its own transaction. If the transaction is retried, the function is called again.
 *
 * @param result the result of the operation.
 */
export type JoinedWrites<Result> = (result: Result) => readonly Write[];

export const NO_WRITES: JoinedWrites<unknown> = () => [];

/** Runs writes in an open transaction, in order. */
export async function runWrites<Tables>(
  trx: Kysely<Tables>,
  writes: readonly Write[],
): Promise<void> {
  for (const write of writes) await trx.executeQuery(write.compile());
}
