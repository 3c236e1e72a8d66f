import { CompiledQuery } from 'kysely';
import type { Write } from '../../ports/transactions.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW } from '../replicas/replica.ts';

export const LEASE_MS = 5000;

export interface Held {
  readonly name: string;
  /** Number that increases with each new holder. */
  readonly epoch: number;
}

/** Reports whether any process holds a lease. The lease of a killed process counts as held for up to `LEASE_MS`. */
export async function isAnyHeld(pool: Pool): Promise<boolean> {
  const { rows } = await pool.read(`select 1 from leases where ends_at > ${DATABASE_NOW} limit 1`);
  return rows.length > 0;
}

export function createLeaseTable(pool: Pool, holder: string) {
  return {
    async free(names: readonly string[]): Promise<readonly string[]> {
      const { rows } = await pool.run(TAKEN, [names]);
      const taken = new Set(rows.map(({ name }) => name));
      return names.filter((name) => !taken.has(name));
    },

    /** Returns `null` if another process acquired the lease first. */
    async acquire(name: string): Promise<Held | null> {
      const { rows } = await pool.run(ACQUIRE, [name, holder]);
      const [row] = rows;
      return row === undefined ? null : { name, epoch: Number(row['epoch']) };
    },

    async renew(held: readonly Held[]): Promise<ReadonlySet<unknown>> {
      const names = held.map(({ name }) => name);
      const epochs = held.map(({ epoch }) => epoch);
      const { rows } = await pool.run(RENEW, [names, epochs]);
      return new Set(rows.map(({ name }) => name));
    },

    async release({ name, epoch }: Held): Promise<void> {
      await pool.run('update leases set ends_at = 0 where name = $1 and epoch = $2', [name, epoch]);
    },
  };
}

const TAKEN = `select name from leases where name = any($1::text[]) and ends_at > ${DATABASE_NOW}`;

const ACQUIRE = `
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
 * Returns a write that throws `LeaseLost` unless this holder still has the lease. The write blocks a takeover until the
 * transaction ends. An expired lease that no other process acquired still counts as held.
 */
export function fenceOf({ name, epoch }: Held): Write {
  return { compile: () => CompiledQuery.raw(FENCE, [name, epoch]) };
}

const FENCE = `
  select 1 / count(*) from (select from leases where name = $1 and epoch = $2 for key share) as held`;
