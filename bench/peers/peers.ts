// Claim: durable, deduplicating ingest is faster than a service that a team could build with Express, the `cloudevents` package, and
// PostgreSQL or Redis. Upper bounds for comparison: our application without a store, and publishing directly to JetStream, which does not
// sync to disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresIsMissing, startPostgres } from '@gatehouse/filter/tests/postgres';
import { NO_NATS, startNats } from '../../packages/server/tests/support/brokers/nats-server.ts';
import {
  type ChildServer,
  startChild,
} from '../../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { type Spread, spread } from '../lib/spread.ts';
import { spawnLoad } from '../load/spawn-load.ts';
import { INGEST_PEERS, installPeers } from './install-peers.ts';
import { redisIsMissing, startRedis } from './private-redis.ts';
import { spawnPublish } from './publish/spawn.ts';

const options = numberOptions({ runs: 3, seconds: 4, warmUpSeconds: 1 });
const USUAL = { events: 100, eventBytes: 500, duplicates: 0, connections: 32 };
type Shape = typeof USUAL;
const SHAPES: readonly Shape[] = [
  USUAL,
  { ...USUAL, events: 10 },
  { ...USUAL, events: 1 },
  { ...USUAL, eventBytes: 1000 },
  { ...USUAL, eventBytes: 64_000, connections: 8 },
  { ...USUAL, duplicates: 0.5 },
  { ...USUAL, duplicates: 1 },
];

type Measure = (shape: Shape, seconds: number) => Promise<number>;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
installPeers(folder, INGEST_PEERS);

const results: (Shape & { eventsPerSecond: Record<string, Spread> })[] = [];
for (const shape of SHAPES) {
  await using systems = new AsyncDisposableStack();
  const all = await startAll(systems);
  for (const measure of Object.values(all)) await measure(shape, options.warmUpSeconds);
  const rates = Object.fromEntries(Object.keys(all).map((name) => [name, [] as number[]]));
  for (let run = 0; run < options.runs; run += 1)
    for (const [name, measure] of Object.entries(all))
      rates[name]?.push(await measure(shape, options.seconds));
  const eventsPerSecond = Object.fromEntries(
    Object.entries(rates).map(([name, list]) => [name, spread(list)]),
  );
  results.push({ ...shape, eventsPerSecond });
  process.stderr.write(`${JSON.stringify(results.at(-1))}\n`);
}

/** Starts all systems with empty stores, so that they are measured with the same amount of data. */
async function startAll(opened: AsyncDisposableStack): Promise<Record<string, Measure>> {
  const all: Record<string, Measure> = {};
  const ceiling = await startChild(join(import.meta.dirname, '../lib/ceiling-server.ts'));
  all['no store'] = overHttp(opened.use(ceiling), '');
  const directory = opened.use(temporaryDirectory());
  const service = opened.use(await startProvisioned(directory.path));
  all['gatehouse'] = overHttp(service, service.authorization);
  if (postgresIsMissing === undefined) {
    const { connection } = opened.use(await startPostgres(true));
    const peer = await startPeer('postgres', connection);
    all['express, cloudevents, postgresql'] = overHttp(opened.use(peer), '');
  } else reportSkipped(postgresIsMissing);
  if (redisIsMissing) reportSkipped('redis-server is missing');
  else {
    const redis = opened.use(await startRedis());
    const peer = await startPeer('redis', { host: redis.socket });
    all['express, cloudevents, redis'] = overHttp(opened.use(peer), '');
  }
  if (NO_NATS !== false) reportSkipped(NO_NATS);
  else {
    const nats = opened.use(await startNats({ configuration: 'max_payload: 8MB' }));
    await nats.addStream();
    all['jetstream, one message per event'] = (shape, seconds) =>
      spawnPublish({
        to: { system: 'jetstream', url: nats.url, subject: 'gatehouse.one', message: 'event' },
        seconds,
        ...shape,
      });
    all['jetstream, one message per batch'] = (shape, seconds) =>
      spawnPublish({
        to: { system: 'jetstream', url: nats.url, subject: 'gatehouse.all', message: 'batch' },
        seconds,
        ...shape,
      });
  }
  return all;
}

function reportSkipped(missing: string): void {
  process.stderr.write(`skipped: ${missing}\n`);
}

function startPeer(store: string, connection: object): Promise<ChildServer> {
  return startChild(join(import.meta.dirname, 'express-server.ts'), {
    env: {
      NODE_ENV: 'production',
      PEER_FOLDER: folder,
      PEER_STORE: store,
      PEER_CONNECTION: JSON.stringify(connection),
    },
  });
}

function overHttp({ port }: ChildServer, authorization: string): Measure {
  return async (shape, seconds) => {
    const load = { kind: 'ingest', path: '/events', port, authorization, seconds } as const;
    const done = await spawnLoad({ ...load, ...shape, requests: Number.MAX_SAFE_INTEGER });
    return done.perSecond * shape.events;
  };
}

console.log(
  JSON.stringify(
    {
      claim: 'ingest compared with systems that a team would build',
      note: 'PostgreSQL with fsync and synchronous_commit on, Redis with appendfsync always, JetStream with file storage synced every two minutes',
      machine: machine(),
      options,
      results,
    },
    null,
    2,
  ),
);
