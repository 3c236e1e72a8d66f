import { join } from 'node:path';
import { postgresIsMissing, startPostgres } from '@gatehouse/filter/tests/postgres';
import {
  type ChildServer,
  startChild,
} from '../../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { startProvisioned } from '../lib/service.ts';
import { BY_IDENTITY, NOTHING, overHttp, type Peer } from './peer.ts';
import { redisIsMissing, startRedis } from './private-redis.ts';

/** Our application without authentication and store: the upper bound of our own rate. */
export const CEILING: Peer = {
  missing: false,
  start: async (opened) => {
    const server = opened.use(
      await startChild(join(import.meta.dirname, '../lib/ceiling-server.ts')),
    );
    return [
      {
        name: 'no store',
        acknowledged: 'parsed and validated, not stored',
        deduplicated: NOTHING,
        measure: overHttp(server, ''),
      },
    ];
  },
};

export const GATEHOUSE: Peer = {
  missing: false,
  start: async (opened) => {
    const directory = opened.use(temporaryDirectory());
    const service = opened.use(await startProvisioned(directory.path));
    return [
      {
        name: 'gatehouse',
        acknowledged: 'synced to disk',
        deduplicated: BY_IDENTITY,
        measure: overHttp(service, service.authorization),
      },
    ];
  },
};

/** @param folder folder with the packages of `INGEST_PEERS`. */
export function expressWithPostgres(folder: string): Peer {
  return {
    missing: postgresIsMissing ?? false,
    start: async (opened) => {
      const { connection } = opened.use(await startPostgres(true));
      const server = opened.use(await startExpress(folder, 'postgres', connection));
      return [
        {
          name: 'express, cloudevents, postgresql',
          acknowledged: 'synced to disk (fsync and synchronous_commit are on)',
          deduplicated: BY_IDENTITY,
          measure: overHttp(server, ''),
        },
      ];
    },
  };
}

/** @param folder folder with the packages of `INGEST_PEERS`. */
export function expressWithRedis(folder: string): Peer {
  return {
    missing: redisIsMissing
      ? 'redis-server is missing (Debian: apt-get install redis-server)'
      : false,
    start: async (opened) => {
      const redis = opened.use(await startRedis());
      const server = opened.use(await startExpress(folder, 'redis', { host: redis.socket }));
      return [
        {
          name: 'express, cloudevents, redis',
          acknowledged: 'synced to disk (appendfsync always)',
          deduplicated: BY_IDENTITY,
          measure: overHttp(server, ''),
        },
      ];
    },
  };
}

function startExpress(folder: string, store: string, connection: object): Promise<ChildServer> {
  return startChild(join(import.meta.dirname, 'express-server.ts'), {
    env: {
      NODE_ENV: 'production',
      PEER_FOLDER: folder,
      PEER_STORE: store,
      PEER_CONNECTION: JSON.stringify(connection),
    },
  });
}
