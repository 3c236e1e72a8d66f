// Question: how do two replicas on one PostgreSQL server compare with one replica, if the load generator, the database and the replicas
// share two cores? The benchmark shows the cost of sharing, not the benefit of additional machines.
import { randomBytes } from 'node:crypto';
import { postgresIsMissing, startPostgres } from '@gatehouse/filter/tests/postgres';
import type { ChildServer } from '../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { alternate } from './lib/alternate.ts';
import { machine } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { startExisting, startProvisioned } from './lib/service.ts';
import { type Spread, spread } from './lib/spread.ts';
import { spawnLoad } from './load/spawn-load.ts';

const options = numberOptions({
  runs: 5,
  seconds: 6,
  connections: 32,
  events: 100,
  eventBytes: 500,
});
const { connections, events, eventBytes, seconds } = options;
if (postgresIsMissing !== undefined) throw new Error(postgresIsMissing);

using directory = temporaryDirectory();
await using server = await startPostgres(true);
const env = {
  GATEHOUSE_DATABASE_URL: `postgres://gatehouse@localhost/postgres?host=${encodeURIComponent(server.connection.host)}`,
  GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
  GATEHOUSE_BASE_URL: 'http://gatehouse.example',
  GATEHOUSE_DRAIN_SECONDS: '0',
};
await using first = await startProvisioned(directory.path, env);
await using second = await startExisting(directory.path, env);
const { authorization } = first;
const common = { authorization, requests: Number.MAX_SAFE_INTEGER };

async function measure(
  services: readonly ChildServer[],
  kind: 'ingest' | 'link',
  forSeconds: number,
) {
  const load = { ...common, seconds: forSeconds, connections: connections / services.length };
  const results = await Promise.all(
    services.map(({ port }) =>
      kind === 'ingest'
        ? spawnLoad({ ...load, kind: 'ingest', path: '/events', port, events, eventBytes })
        : spawnLoad({
            ...load,
            kind: 'repeat',
            path: '/assistant-link',
            port,
            body: '{"sub":"u"}',
          }),
    ),
  );
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
}

interface Compared {
  readonly one: Spread;
  readonly two: Spread;
  readonly ratio: Spread;
  readonly p99Ms: { readonly one: Spread; readonly two: Spread };
}

async function compare(kind: 'ingest' | 'link', unit: number): Promise<Compared> {
  await measure([first, second], kind, 3);
  const pairs = await alternate(
    options.runs,
    () => measure([first], kind, seconds),
    () => measure([first, second], kind, seconds),
  );
  return {
    one: spread(pairs.map((pair) => pair.first.perSecond * unit)),
    two: spread(pairs.map((pair) => pair.second.perSecond * unit)),
    ratio: spread(pairs.map((pair) => pair.second.perSecond / pair.first.perSecond)),
    p99Ms: {
      one: spread(pairs.map((pair) => pair.first.p99)),
      two: spread(pairs.map((pair) => pair.second.p99)),
    },
  };
}

console.log(
  JSON.stringify(
    {
      question: 'two replicas on one PostgreSQL compared with one replica, on the same cores',
      machine: machine(),
      options,
      eventsPerSecond: await compare('ingest', events),
      linksPerSecond: await compare('link', 1),
    },
    null,
    2,
  ),
);
