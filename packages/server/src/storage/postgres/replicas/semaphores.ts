import type { Semaphore, Semaphores } from '../../ports/shared.ts';
import { retryConflicts } from '../../ports/transactions.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW, shortKey } from './replica.ts';

/** Semaphores, and what was left while the database could not be told. */
export interface SharedSemaphores extends Semaphores {
  /** Tells again what could not be told. Rejects when it still cannot. */
  tellLeft(): Promise<void>;
}

/**
 * Semaphores that all replicas share: a row for each key with who holds them. A holder counts while its replica lives, so
 * that nothing has to be renewed while a semaphore is held.
 *
 * @param replica this process's name among the replicas.
 * @param onError hears why it could not be told that a semaphore was left; it is told again.
 */
export function createSemaphores(
  pool: Pool,
  replica: string,
  onError: (error: unknown) => void,
): SharedSemaphores {
  /** Holders that left, with their keys, until the database knows. */
  const left = new Map<string, readonly string[]>();
  let taken = 0;

  async function leave(holder: string, keys: readonly string[]): Promise<void> {
    await retryConflicts(() => pool.run(LEAVE, [holder, keys], { often: true }));
    left.delete(holder);
  }

  async function leaveSoon(holder: string, keys: readonly string[]): Promise<void> {
    left.set(holder, keys);
    await leave(holder, keys).catch(onError);
  }

  return {
    acquire: async (semaphores) => {
      taken += 1;
      const holder = `${replica}/${taken}`;
      const values = semaphores.flatMap(({ key, permits }) => [shortKey(key), permits]);
      const statement = take(semaphores.length);
      const given = [replica, holder, ...values];
      const { rows } = await retryConflicts(() => pool.run(statement, given, { often: true }));
      const had = Number(rows[0]?.['taken']);
      const keys = semaphores.slice(0, had).map(({ key }) => shortKey(key));
      const full: Semaphore | undefined = semaphores[had];
      if (full !== undefined) {
        if (keys.length > 0) await leaveSoon(holder, keys);
        return { acquired: false, full };
      }
      let isLeft = false;
      return {
        acquired: true,
        release: () => {
          if (isLeft) return;
          isLeft = true;
          void leaveSoon(holder, keys);
        },
      };
    },

    tellLeft: async () => {
      for (const [holder, keys] of left) await leave(holder, keys);
    },
  };
}

/** Those of a semaphore's holders whose replica lives; $1 is this one. */
const LIVE = `array(
  select holder from unnest(kept.holders) as held(holder)
  where split_part(holder, '/', 1) = $1 or split_part(holder, '/', 1) in
    (select id from replicas where ends_at > ${DATABASE_NOW}))`;

/** One semaphore after the other, as long as there is one; gives at how many. Whoever takes some of the same ones takes them in this order, too. */
function take(semaphores: number): string {
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

/** An upsert locks the rows in the order given, as taking them does. */
const LEAVE = `
  insert into semaphores as kept (key, holders)
  select key, '{}' from unnest($2::text[]) with ordinality as leaving(key, semaphore) order by semaphore
  on conflict (key) do update set holders = array_remove(kept.holders, $1)`;
