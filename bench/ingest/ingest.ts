// Claim: durable, deduplicating ingest reaches at least 0.6 of the rate of the same application without a store. With 32 connections, its
// p99 is below 100 ms.
import { join } from 'node:path';
import { startChild } from '../../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { alternate } from '../lib/alternate.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import { spawnLoad } from '../load/spawn-load.ts';

const options = numberOptions({
  runs: 5,
  seconds: 8,
  connections: 32,
  events: 100,
  eventBytes: 500,
});
const load = {
  kind: 'ingest' as const,
  path: '/events',
  connections: options.connections,
  seconds: options.seconds,
  requests: Number.MAX_SAFE_INTEGER,
  events: options.events,
  eventBytes: options.eventBytes,
};

using directory = temporaryDirectory();
await using ceiling = await startChild(join(import.meta.dirname, '../lib/ceiling-server.ts'));
await using service = await startProvisioned(directory.path);
const idle = service.rss();

const warmUp = { ...load, seconds: 3 };
await spawnLoad({ ...warmUp, port: ceiling.port, authorization: '' });
await spawnLoad({ ...warmUp, port: service.port, authorization: service.authorization });
const pairs = await alternate(
  options.runs,
  () => spawnLoad({ ...load, port: ceiling.port, authorization: '' }),
  () => spawnLoad({ ...load, port: service.port, authorization: service.authorization }),
);

const events = (perSecond: number) => perSecond * options.events;
report(
  'durable, deduplicating ingest over HTTP, compared with the same application without a store',
  {
    options,
    ceilingEventsPerSecond: spread(pairs.map(({ first }) => events(first.perSecond))),
    eventsPerSecond: spread(pairs.map(({ second }) => events(second.perSecond))),
    ratio: spread(pairs.map(({ first, second }) => second.perSecond / first.perSecond)),
    p99Ms: spread(pairs.map(({ second }) => second.p99)),
    maxMs: spread(pairs.map(({ second }) => second.max)),
    residentMB: { idle: round(idle), afterLoad: round(service.rss()) },
    targets: { ratio: 0.6, p99Ms: 100 },
  },
);
