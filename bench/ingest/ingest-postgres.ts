// Claim: ingest over HTTP into PostgreSQL is at least as fast as a `pg` client that inserts events without HTTP. The client uses `unnest`
// to insert one row with a unique key per event.
import { randomBytes } from 'node:crypto';
import { postgresIsMissing, startPostgres } from '@gatehouse/filter/tests/postgres';
import pg from 'pg';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { alternate } from '../lib/alternate.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import { spawnLoad } from '../load/spawn-load.ts';
import { spawnBareInserts } from '../peers/spawn-bare-inserts.ts';

const options = numberOptions({
  runs: 5,
  seconds: 8,
  connections: 32,
  bareConnections: 8,
  events: 100,
  eventBytes: 500,
});
const { events, eventBytes, seconds } = options;
if (postgresIsMissing !== undefined) throw new Error(postgresIsMissing);

using directory = temporaryDirectory();
// Commits are synced to disk. The systems use separate servers, so that they do not share a write-ahead log.
await using ours = await startPostgres(true);
await using theirs = await startPostgres(true);
await using service = await startProvisioned(directory.path, {
  GATEHOUSE_DATABASE_URL: `postgres://gatehouse@localhost/postgres?host=${encodeURIComponent(ours.connection.host)}`,
  GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
});
const idle = service.rss();

const bare = { ...theirs.connection, connections: options.bareConnections, events, eventBytes };
const load = {
  kind: 'ingest' as const,
  path: '/events',
  port: service.port,
  authorization: service.authorization,
  connections: options.connections,
  requests: Number.MAX_SAFE_INTEGER,
  events,
  eventBytes,
};
await spawnBareInserts({ ...bare, seconds: 3 });
await spawnLoad({ ...load, seconds: 3 });
const pairs = await alternate(
  options.runs,
  () => spawnBareInserts({ ...bare, seconds }),
  () => spawnLoad({ ...load, seconds }),
);

report(
  'ingest over HTTP into PostgreSQL, compared with a client that inserts one row per event by unnest',
  {
    postgres: await versionOf(ours.connection),
    options,
    bareEventsPerSecond: spread(pairs.map(({ first }) => first)),
    eventsPerSecond: spread(pairs.map(({ second }) => second.perSecond * events)),
    ratio: spread(pairs.map(({ first, second }) => (second.perSecond * events) / first)),
    p99Ms: spread(pairs.map(({ second }) => second.p99)),
    maxMs: spread(pairs.map(({ second }) => second.max)),
    residentMB: { idle: round(idle), afterLoad: round(service.rss()) },
    targets: { ratio: 1 },
  },
);

async function versionOf(connection: object): Promise<string> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? 'unknown';
  } finally {
    await client.end();
  }
}
