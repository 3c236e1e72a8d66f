import { CompiledQuery } from 'kysely';
import type { Write } from '../../ports/transactions.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW } from '../replicas/replica.ts';

/** How long a lease lasts that is not renewed, by the clock of the database. */
export const LEASE_MS = 5000;

/** A job at one holder. */
export interface Held {
  readonly name: string;
  /** One more with each holder. */
  readonly epoch: number;
}

/** Whether any process holds a lease; one that was killed less than `LEASE_MS` ago seems to. */
export async function isAnyHeld(pool: Pool): Promise<boolean> {
  const { rows } = await pool.read(`select 1 from leases where ends_at > ${DATABASE_NOW} limit 1`);
  return rows.length > 0;
}

/** The rows that say who holds what. */
export function createLeaseTable(pool: Pool, holder: string) {
  return {
    /** Those of some jobs that nobody holds. */
    async free(names: readonly string[]): Promise<readonly string[]> {
      const { rows } = await pool.run(TAKEN, [names]);
      const taken = new Set(rows.map(({ name }) => name));
      return names.filter((name) => !taken.has(name));
    },

    /** Null when somebody else was faster. */
    async take(name: string): Promise<Held | null> {
      const { rows } = await pool.run(TAKE, [name, holder]);
      const [row] = rows;
      return row === undefined ? null : { name, epoch: Number(row['epoch']) };
    },

    /** Gives the names of those that are still held. */
    async renew(held: readonly Held[]): Promise<ReadonlySet<unknown>> {
      const names = held.map(({ name }) => name);
      const epochs = held.map(({ epoch }) => epoch);
      const { rows } = await pool.run(RENEW, [names, epochs]);
      return new Set(rows.map(({ name }) => name));
    },

    async giveBack({ name, epoch }: Held): Promise<void> {
      await pool.run('update leases set ends_at = 0 where name = $1 and epoch = $2', [name, epoch]);
    },
  };
}

const TAKEN = `select name from leases where name = any($1::text[]) and ends_at > ${DATABASE_NOW}`;

const TAKE = `
  insert into leases (name, holder, epoch, ends_at) values ($1, $2, 1, ${DATABASE_NOW} + ${LEASE_MS})
  on conflict (name) do update
  set holder = excluded.holder, epoch = leases.epoch + 1, ends_at = excluded.ends_at
  where leases.ends_at <= ${DATABASE_NOW}
  returning epoch`;

const RENEW = `
  update leases set ends_at = ${DATABASE_NOW} + ${LEASE_MS}
  from unnest($1::text[], $2::bigint[]) as mine (name, epoch)
  where leases.name = mine.name and leases.epoch = mine.epoch
  returning leases.name`;

/**
 * Fails (`LeaseLost`) unless the job is still at this holder, and holds off everybody else until the end of
 * the transaction that it is part of. A lease that is over and was not taken by another is as good as one that is not.
 */
export function fenceOf({ name, epoch }: Held): Write {
  return { compile: () => CompiledQuery.raw(FENCE, [name, epoch]) };
}

const FENCE = `
  select 1 / count(*) from (select from leases where name = $1 and epoch = $2 for key share) as held`;
