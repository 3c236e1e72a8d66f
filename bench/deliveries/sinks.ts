// Claim: the sink publishes to JetStream at a substantial fraction of the rate of JetStream's own client. With the sink, ingest reaches
// at least 0.8 of its rate without the sink.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type NatsServer,
  startNats,
} from '../../packages/server/tests/support/brokers/nats-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { alternate } from '../lib/alternate.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { type Service, startExisting, startProvisioned } from '../lib/service.ts';
import { spread } from '../lib/spread.ts';
import { spawnLoad } from '../load/spawn-load.ts';
import { spawnPublish } from '../peers/publish/spawn.ts';

const options = numberOptions({
  runs: 5,
  seconds: 5,
  events: 40_000,
  eventBytes: 500,
});
const BATCH = 100;

await using nats = await startNats();
await nats.addStream();

const loadOf = ({ port, authorization }: Service, subjects: number) => ({
  kind: 'ingest' as const,
  path: '/events',
  port,
  authorization,
  connections: 32,
  events: BATCH,
  eventBytes: options.eventBytes,
  subjects,
});

/**
 * Accepts events while no sink is configured, and then starts the sink. Returns the number of events per second that the sink publishes
 * until all events are in the stream.
 */
async function drain(subjects: number): Promise<number> {
  using directory = temporaryDirectory();
  {
    await using service = await startProvisioned(directory.path);
    const requests = options.events / BATCH;
    await spawnLoad({ ...loadOf(service, subjects), seconds: 600, requests });
  }
  const before = await nats.count();
  await using _service = await startExisting(directory.path, {
    GATEHOUSE_NATS_URL: nats.url,
    GATEHOUSE_SINKS_START: 'beginning',
  });
  const [startedAt, published] = [performance.now(), await nats.count()];
  await untilCount(nats, before + options.events);
  return (before + options.events - published) / ((performance.now() - startedAt) / 1000);
}

async function untilCount(server: NatsServer, count: number): Promise<void> {
  while ((await server.count()) < count) await sleep(50);
}

const publishDirectly = (outstanding: number) =>
  spawnPublish({
    to: {
      system: 'jetstream',
      url: nats.url,
      subject: 'gatehouse.raw.events',
      message: 'event',
    },
    connections: 1,
    events: outstanding,
    eventBytes: options.eventBytes,
    duplicates: 0,
    seconds: options.seconds,
  });

async function ingestWith(env: Record<string, string>): Promise<number> {
  using directory = temporaryDirectory();
  await using service = await startProvisioned(directory.path, env);
  const load = { ...loadOf(service, BATCH), requests: Number.MAX_SAFE_INTEGER };
  await spawnLoad({ ...load, seconds: 1 });
  return (await spawnLoad({ ...load, seconds: options.seconds })).perSecond * BATCH;
}

const many = await alternate(
  options.runs,
  () => publishDirectly(BATCH),
  () => drain(BATCH),
);
const one = await alternate(
  options.runs,
  () => publishDirectly(1),
  () => drain(1),
);
const beside = await alternate(
  options.runs,
  () => ingestWith({}),
  () => ingestWith({ GATEHOUSE_NATS_URL: nats.url }),
);

report("events into JetStream through the sink, compared with JetStream's own client", {
  jetstream:
    'local nats-server with file storage and one replica, which acknowledges before fsync (default interval: two minutes)',
  options,
  manySubjects: {
    rawPerSecond: spread(many.map(({ first }) => first)),
    eventsPerSecond: spread(many.map(({ second }) => second)),
    ratio: spread(many.map(({ first, second }) => second / first)),
  },
  oneSubject: {
    rawPerSecond: spread(one.map(({ first }) => first)),
    eventsPerSecond: spread(one.map(({ second }) => second)),
    ratio: spread(one.map(({ first, second }) => second / first)),
  },
  ingest: {
    withoutSinkPerSecond: spread(beside.map(({ first }) => first)),
    withSinkPerSecond: spread(beside.map(({ second }) => second)),
    ratio: spread(beside.map(({ first, second }) => second / first)),
  },
  targets: { ingestRatio: 0.8 },
});
