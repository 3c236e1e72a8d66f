import type { Store } from '../../ports/store.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW } from './replica.ts';

/** Creates `Store.describe`. */
export function describeStore(pool: Pool, selfId: string): Store['describe'] {
  return async () => {
    const [{ rows: found }, { rows: replicas }] = await Promise.all([
      pool.read(SERVER),
      pool.read(REPLICAS),
    ]);
    return {
      engine: 'postgresql',
      version: String(found[0]?.['version']),
      bytes: Number(found[0]?.['bytes']),
      replicas: replicas.map(({ id, host, version, started_at, jobs }) => ({
        id: String(id),
        host: String(host),
        version: String(version),
        startedAt: Number(started_at),
        jobs: jobs as string[],
        isSelf: id === selfId,
      })),
    };
  };
}

const SERVER = `
  select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`;

const REPLICAS = `
  select id, host, version, started_at, array(
    select name from leases where holder = replicas.id and leases.ends_at > ${DATABASE_NOW}
    order by name
  ) as jobs
  from replicas
  where ends_at > ${DATABASE_NOW} and version is not null
  order by started_at, id`;
