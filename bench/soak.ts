// Claim: memory, handles, dead rows and latencies are stable after all operations have run for half an hour. Run with
// scripts/with-postgres.ts and GATEHOUSE_TEST_BACKEND=postgres to measure two replicas on PostgreSQL.

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  ALLOW_RECEIVERS,
  startReceiver,
} from '../packages/server/tests/support/events/receiver.ts';
import type { ChildServer } from '../packages/server/tests/support/services/child-server.ts';
import {
  startService,
  temporaryDirectory,
} from '../packages/server/tests/support/services/service.ts';
import { backendOf, ON_POSTGRES } from '../packages/server/tests/support/storage/backend.ts';
import { machine } from './lib/machine.ts';
import { type Panel, plot } from './lib/plot.ts';
import { round } from './lib/spread.ts';
import { Latencies } from './soak/pace.ts';
import { handlesOf, type Sample, tableSizes } from './soak/samples.ts';
import { runTraffic } from './soak/traffic.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    batchesPerSecond: { type: 'string', default: '10' },
    plot: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const SAMPLE_EVERY_S = 30;
const ENV = {
  ...ALLOW_RECEIVERS,
  GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_RATE_LIMIT_CHAT_LINK: '0',
};

using directory = temporaryDirectory();
await using opened = new AsyncDisposableStack();
const receiver = opened.use(await startReceiver());
const clearReceived = setInterval(() => receiver.received.splice(0), 5000);
opened.defer(() => clearInterval(clearReceived));
const services: ChildServer[] = [];
for (let index = 0; index < (ON_POSTGRES ? 2 : 1); index += 1)
  services.push(opened.use(await startService(directory.path, { env: ENV })));
const { GATEHOUSE_DATABASE_URL: database } = await backendOf(directory.path);

const latencies = new Latencies();
const failures: string[] = [];
const stopped = new AbortController();
const traffic = runTraffic({
  urls: services.map(({ url }) => url),
  receiver: receiver.url,
  latencies,
  batchesPerSecond: Number(values.batchesPerSecond),
  signal: stopped.signal,
  onFailure: (text) => {
    failures.push(text);
    if (failures.length < 20) process.stderr.write(`${text}\n`);
  },
});

const samples: Sample[] = [];
const startedAt = performance.now();
for (let turn = 1; turn <= (minutes * 60) / SAMPLE_EVERY_S; turn += 1) {
  await sleep(startedAt + turn * SAMPLE_EVERY_S * 1000 - performance.now());
  const sample: Sample = {
    minute: (turn * SAMPLE_EVERY_S) / 60,
    latencies: latencies.take(),
    rssMB: services.map((service) => round(service.rss())),
    handles: services.map(handlesOf),
    tables: database === undefined ? [] : await tableSizes(database),
  };
  samples.push(sample);
  const { minute, rssMB, handles } = sample;
  process.stderr.write(
    `${JSON.stringify({ minute, rssMB, handles, failures: failures.length })}\n`,
  );
}
stopped.abort();
await traffic;

if (values.plot !== undefined) writeFileSync(values.plot, plot(panels(), 'minutes'));
console.log(
  JSON.stringify(
    { machine: machine(), options: values, failures: failures.length, samples },
    null,
    1,
  ),
);

function panels(): Panel[] {
  const line = (name: string, y: (sample: Sample) => number | undefined) => ({
    name,
    points: samples.flatMap((one) => {
      const value = y(one);
      return value === undefined ? [] : [[one.minute, value] as const];
    }),
  });
  const kinds = Object.keys(samples.at(-1)?.latencies ?? {});
  const tables = (samples.at(-1)?.tables ?? []).slice(0, 8).map(({ table }) => table);
  const sizeOf = (sample: Sample, name: string) =>
    sample.tables.find(({ table }) => table === name);
  const each = (of: (sample: Sample, index: number) => number | undefined) =>
    services.map((_, index) => line(`replica ${index + 1}`, (one) => of(one, index)));
  return [
    { title: 'Resident memory, MB', series: each((one, index) => one.rssMB[index]) },
    { title: 'Open handles', series: each((one, index) => one.handles[index]) },
    {
      title: 'Median latency, ms',
      series: kinds.map((kind) => line(kind, (one) => one.latencies[kind]?.p50)),
    },
    {
      title: '99th percentile, ms',
      series: kinds.map((kind) => line(kind, (one) => one.latencies[kind]?.p99)),
    },
    ...(tables.length === 0
      ? []
      : [
          {
            title: 'Largest tables with their indexes, MB',
            series: tables.map((name) => line(name, (one) => sizeOf(one, name)?.megabytes)),
          },
          {
            title: 'Dead rows',
            series: tables.map((name) => line(name, (one) => sizeOf(one, name)?.dead)),
          },
        ]),
  ];
}
