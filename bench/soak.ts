// Claim: almost all features work for an hour under a steady load, every promise holds at the end, and memory, handles and latencies are stable.
// The exit status is 1 if a promise is broken or a request failed. SIGUSR2 ends the load early; the checks still run. Run with
// scripts/with-postgres.ts and GATEHOUSE_TEST_BACKEND=postgres to load two replicas on PostgreSQL that restart in turn, or with --failovers
// to load two replicas on a PostgreSQL server whose standby takes over again and again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { well } from '../packages/server/tests/support/assistant/embedding-model.ts';
import { startFakeModel } from '../packages/server/tests/support/assistant/fake-model.ts';
import { startKafka } from '../packages/server/tests/support/brokers/kafka/cluster.ts';
import { NO_KAFKA } from '../packages/server/tests/support/brokers/kafka/program.ts';
import { NO_NATS, startNats } from '../packages/server/tests/support/brokers/nats-server.ts';
import {
  skip as NO_BROWSER,
  openBrowser,
} from '../packages/server/tests/support/browser/browser.ts';
import {
  ALLOW_RECEIVERS,
  startReceiver,
} from '../packages/server/tests/support/events/receiver.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
} from '../packages/server/tests/support/identity/oidc-provider.ts';
import { startSite } from '../packages/server/tests/support/knowledge/site.ts';
import { freePort } from '../packages/server/tests/support/services/free-port.ts';
import {
  startService,
  temporaryDirectory,
} from '../packages/server/tests/support/services/service.ts';
import { backendOf, ON_POSTGRES } from '../packages/server/tests/support/storage/backend.ts';
import { backupsOf, backupsOfDatabase } from '../packages/server/tests/support/storage/backups.ts';
import { machine } from './lib/machine.ts';
import { plot } from './lib/plot.ts';
import { round } from './lib/spread.ts';
import { Failovers } from './soak/failovers.ts';
import { Latencies } from './soak/pace.ts';
import { panelsOf } from './soak/panels.ts';
import { startParts } from './soak/parts/index.ts';
import { Replicas } from './soak/replicas.ts';
import { growthOf, handlesOf, heapOf, type Sample, tableSizes } from './soak/samples.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    batchesPerSecond: { type: 'string', default: '2' },
    plot: { type: 'string' },
    failovers: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const SECRET = Buffer.alloc(32, 'soak').toString('base64');
const SAMPLE_EVERY_S = 30;
const PRINT_EVERY = 4;
const UPKEEP_PAUSE_MS = Math.min(300_000, (minutes * 60_000) / 4);
const SHOWN_FAILURES = 50;
/** The load comes from a single IP address and few people, which would exceed these limits. */
const NO_LIMITS = {
  GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_RATE_LIMIT_CHAT_LINK: '0',
  GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
  GATEHOUSE_SEARCH_TIME_LINK: '0',
  GATEHOUSE_RATE_LIMIT_SIGN_IN: '0',
};

using directory = temporaryDirectory();
using scratch = temporaryDirectory();
await using opened = new AsyncDisposableStack();
const receiver = opened.use(await startReceiver());
const replayReceiver = opened.use(await startReceiver());
const backend = opened.use(await startReceiver());
const replicaCount = ON_POSTGRES || values.failovers ? 2 : 1;
const failovers = values.failovers ? opened.use(await Failovers.start(replicaCount)) : null;
const databaseOf = (index: number) =>
  failovers === null
    ? {}
    : { GATEHOUSE_DATABASE_URL: failovers.url(index), GATEHOUSE_SECRET: SECRET };
const ports = await Promise.all(Array.from({ length: replicaCount }, freePort));
const baseUrl = `http://127.0.0.1:${ports[0]}`;
const provider = opened.use(await startProvider(baseUrl));
const model = opened.use(await startFakeModel(well));
const site = opened.use(await startSite({}));
const nats = NO_NATS === false ? opened.use(await startNats()) : null;
await nats?.addStream();
const topic = 'gatehouse.events';
const kafka = NO_KAFKA === false ? opened.use(await startKafka()) : null;
await kafka?.addTopic(topic, { partitions: 3 });
const browser =
  NO_BROWSER === false ? opened.adopt(await openBrowser(), (open) => open.close()) : null;
const MODEL = {
  GATEHOUSE_MODEL_URL: model.url,
  GATEHOUSE_MODEL_NAME: 'small',
  GATEHOUSE_EMBEDDING_MODEL: 'tiny',
};
const heapFile = (index: number) => join(scratch.path, `heap-${index}`);
const replicas = opened.use(
  await Replicas.start(ports.length, (index) =>
    startService(directory.path, {
      port: ports[index] ?? 0,
      capture: true,
      flags: ['--import', join(import.meta.dirname, 'soak/report-heap.ts')],
      env: {
        ...ALLOW_RECEIVERS,
        ...NO_LIMITS,
        ...MODEL,
        ...databaseOf(index),
        ...(nats === null ? {} : { GATEHOUSE_NATS_URL: nats.url }),
        ...(kafka === null
          ? {}
          : { GATEHOUSE_KAFKA_BROKERS: kafka.addresses(), GATEHOUSE_KAFKA_TOPIC: topic }),
        GATEHOUSE_BASE_URL: baseUrl,
        GATEHOUSE_OIDC_ISSUER: provider.issuer,
        GATEHOUSE_OIDC_CLIENT_ID: CLIENT_ID,
        GATEHOUSE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
        GATEHOUSE_OIDC_ALLOWED_DOMAINS: 'example.com',
        SOAK_HEAP_FILE: heapFile(index),
      },
    }),
  ),
);
const database = failovers?.url(0) ?? (await backendOf(directory.path)).GATEHOUSE_DATABASE_URL;

const latencies = new Latencies();
const failures: string[] = [];
const stopped = new AbortController();
process.once('SIGUSR2', () => stopped.abort());
const parts = await startParts(
  {
    replicas,
    receiver,
    replayReceiver,
    backend,
    provider,
    nats,
    kafka,
    topic,
    browser,
    model,
    site,
    backups:
      failovers === null
        ? await backupsOf(directory.path, scratch.path)
        : backupsOfDatabase(failovers.url(0), scratch.path),
    // It cannot send webhooks to the receivers, or publish to the brokers.
    startCopy: ({ env }) =>
      startService(directory.path, {
        capture: true,
        env: { ...NO_LIMITS, ...MODEL, ...databaseOf(0), ...env },
      }),
    batchesPerSecond: Number(values.batchesPerSecond),
    upkeepPauseMs: UPKEEP_PAUSE_MS,
    failovers,
  },
  { latencies, failures, signal: stopped.signal },
);
const startedAt = performance.now();
const running = Promise.all([...parts.values()].map((part) => part.run()));
const samples: Sample[] = [];
for (let turn = 1; turn <= (minutes * 60) / SAMPLE_EVERY_S; turn += 1) {
  const wait = startedAt + turn * SAMPLE_EVERY_S * 1000 - performance.now();
  await sleep(wait, null, { signal: stopped.signal }).catch(() => {});
  if (stopped.signal.aborted) break;
  samples.push(await takeSample((turn * SAMPLE_EVERY_S) / 60));
  if (turn % PRINT_EVERY === 0) print(samples.at(-1));
}
stopped.abort();
await running;
const loadMinutes = round((performance.now() - startedAt) / 60_000);

const broken: string[] = [];
for (const [name, part] of parts) {
  const found = await part.check().catch((error: Error) => [`the check failed: ${error.message}`]);
  broken.push(...found.map((text) => `${name}: ${text}`));
  process.stderr.write(`checked ${name}\n`);
}
broken.push(...replicas.problems((time) => failovers?.includes(time) ?? false));
if (values.plot !== undefined) writeFileSync(values.plot, plot(panelsOf(samples), 'minutes'));
console.log(
  JSON.stringify(
    {
      machine: machine(),
      options: values,
      loadMinutes,
      counts: sums([...parts.values()].map((part) => part.counts())),
      growth: replicas.all.map((_, index) => ({
        rssMB: growthOf(samples.map(({ rssMB }) => rssMB[index] ?? Number.NaN)),
        heapMB: growthOf(samples.map(({ heapMB }) => heapMB[index] ?? Number.NaN)),
      })),
      broken,
      failures: { count: failures.length, first: failures.slice(0, SHOWN_FAILURES) },
      samples,
    },
    null,
    1,
  ),
);
if (broken.length > 0 || failures.length > 0) process.exitCode = 1;

function sums(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts)))
    total[name] = (total[name] ?? 0) + count;
  return total;
}

async function takeSample(minute: number): Promise<Sample> {
  return {
    minute,
    latencies: latencies.take(),
    rssMB: replicas.all.map((service, index) =>
      replicas.isInRotation(index) ? round(service.rss()) : Number.NaN,
    ),
    heapMB: replicas.all.map((_, index) =>
      replicas.isInRotation(index) ? heapOf(heapFile(index)) : Number.NaN,
    ),
    handles: replicas.all.map((service, index) =>
      replicas.isInRotation(index) ? handlesOf(service) : Number.NaN,
    ),
    // The database may be failing over.
    tables: database === undefined ? [] : await tableSizes(database).catch(() => []),
  };
}

function print(sample: Sample | undefined): void {
  if (sample === undefined) return;
  const { minute, rssMB, heapMB, handles } = sample;
  const line = { minute, rssMB, heapMB, handles, failures: failures.length };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
