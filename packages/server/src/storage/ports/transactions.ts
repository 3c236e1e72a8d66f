import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import { SerialisationFailure, StorageUnavailable } from '../../lib/threads/index.ts';

const MAX_ATTEMPTS = 20;
const MAX_DELAY_MS = 100;

/**
 * Runs `work` in a serialisable transaction and retries it after a serialisation failure. `work` may run several
 * times, so it must only run SQL and must not keep results of a failed attempt. Throws `StorageUnavailable` after
 * 20 attempts.
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return retryConflicts(() => db.transaction().execute(work));
}

/** Retries `run` after serialisation failures, with a random delay. */
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

export interface Write {
  compile(): CompiledQuery;
}

/**
 * Runs writes atomically, in order, in one round trip; resolves when they are on disk. Cheaper than an interactive
 * transaction, which blocks other writers while its caller computes the next step.
 */
export type WriteTogether = (writes: readonly Write[]) => Promise<void>;
