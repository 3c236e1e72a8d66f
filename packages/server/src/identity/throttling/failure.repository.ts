import { sql } from 'kysely';
import type { Database } from '../../storage/ports/index.ts';
import { retryConflicts } from '../../storage/ports/index.ts';
import { blockMs, FORGET_AFTER_MS, LONGEST_BLOCK_MS, MAX_FAILURES } from './throttle.rules.ts';

export type CountedFailure =
  | { readonly kind: 'counted'; readonly failures: number }
  | { readonly kind: 'blocked'; readonly waitMs: number };

export interface FailureRepository {
  /**
   * Counts a failed attempt, unless the key is blocked. Concurrent attempts are counted one after the other.
   *
   * @param now Unix milliseconds.
   */
  count(key: string, now: number): Promise<CountedFailure>;
  /** Takes back a counted failure, and the block that it may have started. */
  discount(key: string): Promise<void>;
  reset(key: string): Promise<void>;
  /** Deletes forgotten failures, and the keys with the fewest failures if there are more than `most`. */
  prune(now: number, most: number): Promise<void>;
}

export function createFailureRepository(db: Database): FailureRepository {
  return {
    count: async (key, now) => {
      for (;;) {
        const counted = await countUnlessBlocked(db, key, now);
        if (counted !== undefined) return { kind: 'counted', failures: counted.failures };
        const blocked = await db
          .selectFrom('sign_in_failures')
          .select('blocked_until')
          .where('key', '=', key)
          .executeTakeFirst();
        // A concurrent success may have deleted the row.
        if (blocked !== undefined)
          return { kind: 'blocked', waitMs: Math.max(1, blocked.blocked_until - now) };
      }
    },
    discount: async (key) => {
      await retryConflicts(() =>
        db
          .updateTable('sign_in_failures')
          .set(({ eb }) => ({ failures: eb('failures', '-', 1), blocked_until: 0 }))
          .where('key', '=', key)
          .where('failures', '>', 0)
          .execute(),
      );
    },
    reset: async (key) => {
      await db.deleteFrom('sign_in_failures').where('key', '=', key).execute();
    },
    prune: async (now, most) => {
      await db.deleteFrom('sign_in_failures').where('ends_at', '<=', now).execute();
      const excess = db
        .selectFrom('sign_in_failures')
        .select('key')
        .orderBy('failures', 'desc')
        .orderBy('ends_at', 'desc')
        .limit(Number.MAX_SAFE_INTEGER)
        .offset(most);
      await db.deleteFrom('sign_in_failures').where('key', 'in', excess).execute();
    },
  };
}

/** Counts a failure in one statement, so that no transaction must be retried. Returns `undefined` if the key is blocked. */
async function countUnlessBlocked(db: Database, key: string, now: number) {
  const row = { key, failures: 1, blocked_until: 0, ends_at: now + FORGET_AFTER_MS };
  return retryConflicts(() =>
    db
      .insertInto('sign_in_failures')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            failures: sql`case when ${isCurrent(now)} then sign_in_failures.failures + 1 else 1 end`,
            blocked_until: sql`case when ${isCurrent(now)} then ${nextBlock(now, 0)} else 0 end`,
            ends_at: sql`case when ${isCurrent(now)} then ${nextBlock(now, now)} + ${FORGET_AFTER_MS} else ${time(row.ends_at)} end`,
          })
          // A block that ends too late was created by a wrong clock.
          .where((is) =>
            is.or([
              is('sign_in_failures.blocked_until', '<=', now),
              is('sign_in_failures.blocked_until', '>', now + LONGEST_BLOCK_MS),
            ]),
          ),
      )
      .returning('failures')
      .executeTakeFirst(),
  );
}

function isCurrent(now: number) {
  const latest = now + LONGEST_BLOCK_MS + FORGET_AFTER_MS;
  return sql`(sign_in_failures.ends_at > ${time(now)} and sign_in_failures.ends_at <= ${time(latest)})`;
}

/** Returns an expression for the end of the block after one more failure, or `without` if there is no block. */
function nextBlock(now: number, without: number) {
  const cases = [];
  for (let failures = MAX_FAILURES; ; failures += 1) {
    const ms = blockMs(failures);
    const comparison = ms === LONGEST_BLOCK_MS ? sql`>=` : sql`=`;
    cases.push(
      sql`when sign_in_failures.failures + 1 ${comparison} ${failures} then ${time(now + ms)}`,
    );
    if (ms === LONGEST_BLOCK_MS)
      return sql`(case ${sql.join(cases, sql` `)} else ${time(without)} end)`;
  }
}

/** Casts a parameter, because PostgreSQL would take a parameter in a `case` for a text. */
function time(value: number) {
  return sql`cast(${value} as bigint)`;
}
