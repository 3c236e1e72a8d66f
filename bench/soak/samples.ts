import { existsSync, readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { ChildServer } from '../../packages/server/tests/support/services/child-server.ts';
import type { Latencies } from './pace.ts';

export interface Sample {
  readonly minute: number;
  readonly latencies: ReturnType<Latencies['take']>;
  /** Resident memory of each replica. `NaN` for a replica that is not in rotation, as for `handles`. */
  readonly rssMB: readonly number[];
  /** Used JavaScript heap of the main thread of each replica. */
  readonly heapMB: readonly number[];
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

/** Returns the heap that `report-heap.ts` has written to a file, in MB. */
export function heapOf(file: string): number {
  return existsSync(file) ? Math.round(Number(readFileSync(file, 'utf8')) / 1e5) / 10 : Number.NaN;
}

/**
 * Returns the means of five samples in the middle and of the last five samples, and their difference.
 *
 * @param samples `NaN` for a sample that was taken during a restart, which is left out.
 */
export function growthOf(samples: readonly number[]): object {
  const values = samples.filter((value) => !Number.isNaN(value));
  const mean = (from: number) => {
    const taken = values.slice(Math.max(0, from), from + 5);
    return Math.round((taken.reduce((sum, value) => sum + value, 0) / taken.length) * 10) / 10;
  };
  const [half, end] = [mean(Math.floor(values.length / 2) - 2), mean(values.length - 5)];
  return { half, end, growth: Math.round((end - half) * 10) / 10 };
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
