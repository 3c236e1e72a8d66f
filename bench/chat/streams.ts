// Claim: one process streams 1,000 answers concurrently without starving any of them. Its memory use is the same after one wave of 1,000
// answers and after several waves.

import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { provisionKnowledge, someQueries } from '../lib/searches.ts';
import { startExisting } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { threadTimes } from '../lib/thread-times.ts';
import type { StreamsResult } from './read-streams.ts';
import {
  BARE_MARK,
  bareQuestion,
  MARK,
  openSessions,
  question,
  settingsFor,
  startModel,
} from './setting.ts';
import { spawnStreams } from './spawn-streams.ts';

const options = numberOptions({
  streams: 1000,
  parts: 300,
  pauseMs: 80,
  withinMs: 5000,
  waves: 4,
  restSeconds: 30,
  resumable: 0,
  passages: 0,
});
const { streams, parts, pauseMs, withinMs } = options;

using directory = temporaryDirectory();
await using model = await startModel({ firstMs: 300, pauseMs, parts });
const { key } = await provisionKnowledge(directory.path, options.passages);
await using service = await startExisting(directory.path, settingsFor(model));
const client = clientOf(service.url);
const queries = someQueries(streams);

/** Streams directly from the model, to measure the machine and the reader without the service. */
const bare = await spawnStreams({
  port: model.port,
  requests: Array.from({ length: streams }, () => bareQuestion('How long does a refund take?')),
  mark: BARE_MARK,
  withinMs,
});
process.stderr.write(`model only: ${JSON.stringify(shown(bare))}\n`);

const waves: object[] = [];
for (let wave = 1; wave <= options.waves; wave += 1) {
  const sessions = await openSessions(client, key, streams);
  waves.push(await runWave(sessions));
  process.stderr.write(`wave ${wave} of ${options.waves}: ${JSON.stringify(waves.at(-1))}\n`);
}

/**
 * Returns a question. With `--resumable 1` the answer can be resumed, as the answers to the questions of the widget can. With passages, the
 * answer has sources, so the service checks every second that its documents are still visible.
 */
function ask(session: string, index: number): string {
  return question(session, queries[index] ?? '', [], undefined, options.resumable === 1);
}

async function runWave(sessions: readonly string[]): Promise<object> {
  const before = service.rss();
  const residentMB: number[] = [];
  const timer = setInterval(() => residentMB.push(Math.round(service.rss())), 1000);
  const cpuBefore = cpu();
  const result = await spawnStreams({
    port: service.port,
    requests: sessions.map(ask),
    mark: MARK,
    withinMs,
  });
  clearInterval(timer);
  const microseconds = cpu() - cpuBefore;
  await sleep(options.restSeconds * 1000);
  const peak = Math.max(...residentMB);
  return {
    ...shown(result),
    mainThreadMicrosecondsPerPart: round(microseconds / result.parts),
    residentMB: {
      before: Math.round(before),
      peak,
      afterRest: Math.round(service.rss()),
      everyFifthSecond: residentMB.filter((_, second) => second % 5 === 0),
    },
    kilobytesPerStream: round(((peak - before) * 1024) / streams),
  };
}

function cpu(): number {
  return threadTimes(service.process.pid ?? 0).get('main') ?? 0;
}

function shown({ complete, parts: arrived, ...times }: StreamsResult): object {
  const rounded = Object.entries(times).map(
    ([name, { p50, p99, max }]) =>
      [`${name}Ms`, { p50: round(p50), p99: round(p99), max: round(max) }] as const,
  );
  return { complete, parts: arrived, ...Object.fromEntries(rounded) };
}

report('a thousand concurrent answers in several waves', {
  options,
  modelAlone: shown(bare),
  waves,
  targets: {
    complete: streams,
    residentMB: 'afterRest equal in all waves',
    lag: 'no stream falls behind',
  },
});
