import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { SerialisationFailure, StorageUnavailable } from '../../lib/threads/index.ts';

const MOST_TRIES = 20;
const LONGEST_PAUSE_MS = 100;

/**
 * Runs SQL in one transaction that sees and changes the database as if it were alone. Where two of them
 * come in each other's way one fails, and is run again: so `work` does nothing but SQL, and keeps nothing
 * of a try that failed. Throws `StorageUnavailable` when it comes to nothing for too long.
 */
export async function inTransaction<Tables, Result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return retryConflicts(() => db.transaction().execute(work));
}

/** Tries again what failed for nothing but its coming in another's way. */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof SerialisationFailure)) throw error;
      if (tries === MOST_TRIES) throw new StorageUnavailable('overloaded', { cause: error });
      // Those that came together must not come together again.
      await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** tries));
    }
}
