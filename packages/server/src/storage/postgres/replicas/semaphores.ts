import type { Semaphore, Semaphores } from '../../ports/shared.ts';
import { retryConflicts } from '../../ports/transactions.ts';
import { Unreachable } from '../failure.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW, shortKey } from './replica.ts';

export interface SharedSemaphores extends Semaphores {
  retryReleases(): Promise<void>;
}

/** Time in milliseconds within which the server commits or discards a statement that this replica no longer waits for. */
const MAX_COMMIT_DELAY_MS = 60_000;

/**
 * Creates semaphores that all replicas share. Each key has one row, which lists the holders. A holder counts while its replica is
 * alive, so holders do not renew their permits.
 *
 * @param replica identifier of this replica.
 * @param onError receives failures of releases. Releases are retried.
 */
export function createSemaphores(
  pool: Pool,
  replica: string,
  onError: (error: unknown) => void,
): SharedSemaphores {
  const pending = new Map<string, readonly string[]>();
  /**
   * Holders whose acquisition failed, although the server may still commit it, for example after a statement timeout. They are
   * released again and again until `until` (in milliseconds of `performance.now`).
   */
  const abandoned = new Map<string, { readonly keys: readonly string[]; readonly until: number }>();
  let taken = 0;

  async function releaseNow(holder: string, keys: readonly string[]): Promise<void> {
    await retryConflicts(() => pool.run(RELEASE, [holder, keys], { often: true }));
    pending.delete(holder);
  }

  async function releaseOrRetryLater(holder: string, keys: readonly string[]): Promise<void> {
    pending.set(holder, keys);
    await releaseNow(holder, keys).catch(onError);
  }

  return {
    acquire: async (semaphores) => {
      taken += 1;
      const holder = `${replica}/${taken}`;
      const values = semaphores.flatMap(({ key, permits }) => [shortKey(key), permits]);
      const statement = acquireStatement(semaphores.length);
      const given = [replica, holder, ...values];
      const { rows } = await retryConflicts(() =>
        pool.run(statement, given, { often: true }),
      ).catch((error: unknown) => {
        if (!(error instanceof Unreachable)) {
          const until = performance.now() + MAX_COMMIT_DELAY_MS;
          abandoned.set(holder, { keys: semaphores.map(({ key }) => shortKey(key)), until });
        }
        throw error;
      });
      const had = Number(rows[0]?.['taken']);
      const keys = semaphores.slice(0, had).map(({ key }) => shortKey(key));
      const full: Semaphore | undefined = semaphores[had];
      if (full !== undefined) {
        if (keys.length > 0) await releaseOrRetryLater(holder, keys);
        return { acquired: false, full };
      }
      let isReleased = false;
      return {
        acquired: true,
        release: async () => {
          if (isReleased) return;
          isReleased = true;
          await releaseOrRetryLater(holder, keys);
        },
      };
    },

    retryReleases: async () => {
      for (const [holder, keys] of pending) await releaseNow(holder, keys);
      if (abandoned.size === 0) return;
      const now = performance.now();
      const holders = [...abandoned];
      const keys = holders.flatMap(([, acquisition]) => acquisition.keys);
      const given = [holders.map(([holder]) => holder), [...new Set(keys)]];
      await retryConflicts(() => pool.run(RELEASE_ALL, given));
      for (const [holder, { until }] of holders) if (now >= until) abandoned.delete(holder);
    },
  };
}

/** SQL expression for the holders of a semaphore whose replica is alive. `$1` is this replica. */
const LIVE = `array(
  select holder from unnest(kept.holders) as held(holder)
  where split_part(holder, '/', 1) = $1 or split_part(holder, '/', 1) in
    (select id from replicas where ends_at > ${DATABASE_NOW}))`;

/**
 * Returns a statement that acquires the semaphores in order, until a semaphore is full. The statement returns how many semaphores
 * were acquired. All callers lock semaphores in this order.
 */
function acquireStatement(semaphores: number): string {
  const takings = Array.from({ length: semaphores }, (_, index) => {
    const [key, most] = [3, 4].map((semaphore) => `$${semaphore + 2 * index}`);
    const before = index === 0 ? 'true' : `exists (select from taken_${index - 1})`;
    return `taken_${index} as (
      insert into semaphores as kept (key, holders) select ${key}, array[$2::text] where ${before}
      on conflict (key) do update set holders = ${LIVE} || excluded.holders
      where cardinality(${LIVE}) < ${most}::integer
      returning 1)`;
  });
  const sum = takings.map((_, index) => `(select count(*) from taken_${index})`).join(' + ');
  return `with ${takings.join(', ')} select (${sum})::integer as taken`;
}

/** Releases semaphores with an upsert, because an upsert locks the rows in the given order, as acquiring does. */
const RELEASE = `
  insert into semaphores as kept (key, holders)
  select key, '{}' from unnest($2::text[]) with ordinality as leaving(key, semaphore) order by semaphore
  on conflict (key) do update set holders = array_remove(kept.holders, $1)`;

const RELEASE_ALL = `
  update semaphores set holders = array(
    select holder from unnest(holders) as held(holder) where holder <> all($1::text[]))
  where key = any($2::text[]) and holders && $1::text[]`;
