// Claim: one process serves 5,000 listeners without starving any of them. A listener that does not read is disconnected and does not slow
// down the others.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { stamp } from '../chat/stamp.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { threadTimes } from '../lib/thread-times.ts';
import { spawnListeners } from './spawn-listeners.ts';

const MIB = 1024 * 1024;
const options = numberOptions({
  listeners: 5000,
  perSecond: 10,
  seconds: 30,
  eventBytes: 300,
  withinMs: 5000,
});
const { listeners, perSecond, seconds, eventBytes, withinMs } = options;

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path, {
  GATEHOUSE_EVENTS_LISTENERS: String(listeners + 10),
  GATEHOUSE_EVENTS_LISTENERS_SPACE: String(listeners + 10),
});
const client = clientOf(service.url);
const key = service.authorization.replace('Bearer ', '');
const idle = service.rss();

function event(data: unknown) {
  return {
    specversion: '1.0',
    id: crypto.randomUUID(),
    source: 'urn:bench:listeners',
    type: 'bench.listeners',
    data,
  };
}

async function send(as: string, data: unknown): Promise<void> {
  const answer = await client('/events', { as, body: { events: [event(data)] } });
  if (answer.status !== 200) throw new Error(answer.text);
}

function request(as: string): string {
  return `GET /events/stream HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${as}\r\n\r\n`;
}

async function metric(name: string): Promise<number> {
  const { text } = await client('/metrics');
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}

/**
 * Opens a stream in a separate space but does not read from it. Sends events until the service closes the stream. Returns the MiB sent.
 */
async function dropOne(): Promise<number> {
  const session = await signIn(client);
  const other = await makeKey(client, session, (await makeSpace(client, session)).id);
  const socket = connect(service.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(request(other));
  await sleep(1000);
  for (let sent = 1; sent <= 100; sent += 1) {
    await send(other, 'x'.repeat(MIB));
    if ((await metric('gatehouse_event_listeners_dropped_total')) === 1) return sent;
  }
  throw new Error('the listener was not disconnected');
}

const events = perSecond * seconds;
const { result } = await spawnListeners({
  port: service.port,
  request: request(key),
  listeners,
  withinMs,
  mark: '"stamp":"',
  events,
  waitMs: seconds * 1000 + 30_000,
});
const open = service.rss();
const dropping = sleep((seconds * 1000) / 3).then(dropOne);
const cpuBefore = threadTimes(service.process.pid ?? 0).get('main') ?? 0;
const residentMB: number[] = [];
const startedAt = performance.now();
for (let sent = 0; sent < events; sent += 1) {
  await sleep(Math.max(0, startedAt + (sent * 1000) / perSecond - performance.now()));
  await send(key, { stamp: stamp(), padding: 'x'.repeat(eventBytes) });
  if (sent % perSecond === 0) residentMB.push(Math.round(service.rss()));
}
const took = performance.now() - startedAt;
const { complete, fewest, lag, worstMean } = await result;
const cpu = (threadTimes(service.process.pid ?? 0).get('main') ?? 0) - cpuBefore;

report(
  'one process serves thousands of listeners without starving any and disconnects a listener that does not read',
  {
    options,
    complete,
    fewest,
    lagMs: { p50: round(lag.p50), p99: round(lag.p99), max: round(lag.max) },
    worstMeanLagMs: round(worstMean),
    mainThread: round(cpu / 1000 / took),
    mainThreadMicrosecondsPerDelivery: round(cpu / (listeners * events)),
    residentMB: {
      idle: Math.round(idle),
      open: Math.round(open),
      peak: Math.max(...residentMB),
    },
    kilobytesPerListener: round(((open - idle) * 1024) / listeners),
    droppedAfterMiB: await dropping,
    targets: { complete: listeners, fewest: events },
  },
);
