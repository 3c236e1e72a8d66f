// Claim: the service delivers 5,000 signed webhooks per second to a receiver on the same machine. At that rate, 99 % of the events arrive
// within one second after they were sent.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALLOW_RECEIVERS } from '../../packages/server/tests/support/events/receiver.ts';
import { subscribingIn } from '../../packages/server/tests/support/events/subscribing.ts';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { alternate } from '../lib/alternate.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startExisting } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import { threadTimes } from '../lib/thread-times.ts';
import { HttpClient } from '../load/http-client.ts';
import { makeEvent } from './events.ts';
import { type ReceiverProcess, spawnReceiver } from './spawn-receiver.ts';

const options = numberOptions({
  runs: 5,
  count: 50_000,
  eventBytes: 500,
  subjects: 1000,
  rate: 5000,
  seconds: 10,
  connections: 64,
});

using directory = temporaryDirectory();
await using receiver = await spawnReceiver();
await using service = await startExisting(directory.path, ALLOW_RECEIVERS);
const client = clientOf(service.url);
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const key = await makeKey(client, session, spaceId);
const { subscribe, ask } = subscribingIn(client, session, spaceId);
const { id } = await subscribe({ url: `http://127.0.0.1:${receiver.port}/hook` });

/** Sends events in batches at `rate` events per second, or as fast as possible if `rate` is `null`. */
async function send(count: number, rate: number | null): Promise<void> {
  const connection = await HttpClient.connect(service.port);
  const batchSize = rate === null ? 100 : 10;
  const startedAt = performance.now();
  for (let sent = 0; sent < count; sent += batchSize) {
    const due = rate === null ? 0 : startedAt + (1000 * sent) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    const events = Array.from({ length: batchSize }, () =>
      makeEvent(options.eventBytes, options.subjects),
    );
    const body = `{"events":[${events.join(',')}]}`;
    const head = `POST /events HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const { status } = await connection.send(Buffer.from(head + body));
    if (status !== 200) throw new Error(`status ${status}`);
  }
  connection.close();
}

async function arrival(of: ReceiverProcess, count: number): Promise<void> {
  while ((await of.count()) < count) await sleep(20);
}

/** Builds a backlog and returns the number of deliveries per second while the service drains it. */
async function deliver(count: number): Promise<number> {
  await ask('PATCH', `/${id}`, { state: 'disabled' });
  await send(count, null);
  await receiver.reset();
  await ask('PATCH', `/${id}`, { state: 'active' });
  await arrival(receiver, count);
  const { firstAt, lastAt } = await receiver.stats();
  return (1000 * count) / (lastAt - firstAt);
}

async function post(count: number): Promise<number> {
  await receiver.reset();
  const { eventBytes: bytes, subjects, connections } = options;
  const file = join(import.meta.dirname, 'bare-posts.ts');
  const what = JSON.stringify({ port: receiver.port, count, bytes, subjects, connections });
  const child = spawn(process.execPath, [file, what], { stdio: 'inherit' });
  await once(child, 'exit');
  const { firstAt, lastAt } = await receiver.stats();
  return (1000 * count) / (lastAt - firstAt);
}

async function lags(): Promise<{ p50: number; p99: number; max: number }> {
  const count = options.rate * options.seconds;
  await receiver.reset();
  await send(count, options.rate);
  await arrival(receiver, count);
  const sorted = [...(await receiver.stats()).lags].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

await post(options.count / 5);
await deliver(options.count / 5);
const pid = service.process.pid ?? 0;
const before = threadTimes(pid);
const pairs = await alternate(
  options.runs,
  () => post(options.count),
  () => deliver(options.count),
);
const after = threadTimes(pid);
const steady: { p50: number; p99: number; max: number }[] = [];
for (let run = 0; run < options.runs; run += 1) steady.push(await lags());

report('signed webhooks to a local receiver, compared with the same bodies posted by undici', {
  options,
  ceilingPerSecond: spread(pairs.map(({ first }) => first)),
  deliveriesPerSecond: spread(pairs.map(({ second }) => second)),
  ratio: spread(pairs.map(({ first, second }) => second / first)),
  lagMs: {
    p50: spread(steady.map(({ p50 }) => p50)),
    p99: spread(steady.map(({ p99 }) => p99)),
    max: spread(steady.map(({ max }) => max)),
  },
  // The CPU time includes both ingest and delivery.
  cpuMicrosecondsPerEvent: Object.fromEntries(
    [...after].map(([thread, time]) => [
      thread,
      round((time - (before.get(thread) ?? 0)) / (options.runs * options.count)),
    ]),
  ),
  residentMB: round(service.rss()),
  targets: { deliveriesPerSecond: 5000, p99LagMs: 1000 },
});
