import { readdirSync } from 'node:fs';
import pg from 'pg';
import type { ChildServer } from '../../packages/server/tests/support/services/child-server.ts';
import type { Latencies } from './pace.ts';

export interface Sample {
  readonly minute: number;
  readonly latencies: ReturnType<Latencies['take']>;
  readonly rssMB: readonly number[];
  readonly handles: readonly number[];
  readonly tables: readonly TableSize[];
}

export interface TableSize {
  readonly table: string;
  readonly megabytes: number;
  readonly rows: number;
  readonly dead: number;
}

export function handlesOf(service: ChildServer): number {
  return readdirSync(`/proc/${service.process.pid}/fd`).length;
}

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
