import { readdirSync } from 'node:fs';
import pg from 'pg';
import type { ChildServer } from '../../packages/server/tests/support/child-server.ts';
import type { Latencies } from './pace.ts';

/** What was so at one time. */
export interface Sample {
  /** Since the beginning. */
  readonly minute: number;
  readonly latencies: ReturnType<Latencies['take']>;
  /** Of each service. */
  readonly rssMB: readonly number[];
  /** Open file descriptors of each service. */
  readonly handles: readonly number[];
  readonly tables: readonly TableSize[];
}

export interface TableSize {
  readonly table: string;
  /** With its indexes. */
  readonly megabytes: number;
  readonly rows: number;
  /** Rows that are dead and not vacuumed yet. */
  readonly dead: number;
}

export function handlesOf(service: ChildServer): number {
  return readdirSync(`/proc/${service.process.pid}/fd`).length;
}

/** The tables of a database that take more than a megabyte, the largest first. */
export async function tableSizes(url: string): Promise<TableSize[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<TableSize>(`
      select relname as table, n_live_tup::int as rows, n_dead_tup::int as dead,
        round(pg_total_relation_size(relid) / 1048576.0, 1)::float8 as megabytes
      from pg_stat_user_tables where pg_total_relation_size(relid) > 1048576 order by 4 desc`);
    return rows;
  } finally {
    await client.end();
  }
}
