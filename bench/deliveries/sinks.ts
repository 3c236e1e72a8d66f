// Claim: events go on into JetStream at a good part of the rate of its own client alone, and ingest with the sink running
// keeps at least 0.8 of its rate without.
import { setTimeout as sleep } from 'node:timers/promises';
import { type NatsServer, startNats } from '../../packages/server/tests/support/nats-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/service.ts';
import { alternate } from '../lib/alternate.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { type Service, startExisting, startProvisioned } from '../lib/service.ts';
import { spread } from '../lib/spread.ts';
import { spawnLoad } from '../load/spawn-load.ts';
import { spawnPublish } from '../peers/spawn-publish.ts';

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

/** Events that were accepted before there was a sink, all of them from its start to the last in the stream; per second. */
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
  const [begun, there] = [performance.now(), await nats.count()];
  await untilCount(nats, before + options.events);
  return (before + options.events - there) / ((performance.now() - begun) / 1000);
}

async function untilCount(server: NatsServer, count: number): Promise<void> {
  while ((await server.count()) < count) await sleep(50);
}

/** JetStream's own client alone, with so many acknowledgements outstanding; events a second. */
const raw = (outstanding: number) =>
  spawnPublish({
    url: nats.url,
    subject: 'gatehouse.raw.events',
    message: 'event',
    connections: 1,
    events: outstanding,
    eventBytes: options.eventBytes,
    duplicates: 0,
    seconds: options.seconds,
  });

async function ingestBeside(env: Record<string, string>): Promise<number> {
  using directory = temporaryDirectory();
  await using service = await startProvisioned(directory.path, env);
  const load = { ...loadOf(service, BATCH), requests: Number.MAX_SAFE_INTEGER };
  await spawnLoad({ ...load, seconds: 1 });
  return (await spawnLoad({ ...load, seconds: options.seconds })).perSecond * BATCH;
}

const many = await alternate(
  options.runs,
  () => raw(BATCH),
  () => drain(BATCH),
);
const one = await alternate(
  options.runs,
  () => raw(1),
  () => drain(1),
);
const beside = await alternate(
  options.runs,
  () => ingestBeside({}),
  () => ingestBeside({ GATEHOUSE_NATS_URL: nats.url }),
);

console.log(
  JSON.stringify(
    {
      claim: "events into JetStream through the sink, beside JetStream's own client alone",
      machine: machine(),
      jetstream:
        'nats-server of this machine, file storage, one replica; acknowledged before fsync (its default: every two minutes)',
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
    },
    null,
    2,
  ),
);
