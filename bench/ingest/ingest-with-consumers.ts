// Claim: with consumers of events running, ingest keeps at least 0.8 of its rate. `passing over`: a subscription and
// a listener that look at every event and want none. `everything`: both want every event, and so does NATS;
// then the consumers, the receiver and the NATS server work on the same two cores as fast as they can.
import { get } from 'node:http';
import { clientOf } from '../../packages/server/tests/support/client.ts';
import { NO_NATS, startNats } from '../../packages/server/tests/support/nats-server.ts';
import { signIn } from '../../packages/server/tests/support/provision.ts';
import { ALLOW_RECEIVERS } from '../../packages/server/tests/support/receiver.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/service.ts';
import { subscribingIn } from '../../packages/server/tests/support/subscribing.ts';
import { spawnReceiver } from '../deliveries/spawn-receiver.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { type Service, startProvisioned } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import type { LoadResult } from '../load/run-load.ts';
import { spawnLoad } from '../load/spawn-load.ts';

const options = numberOptions({ runs: 3, seconds: 8, warmUpSeconds: 3 });
const EVENTS = 100;
const CONSUMERS = ['none', 'passing over', 'everything'] as const;
type Consumers = (typeof CONSUMERS)[number];

interface Measured {
  readonly load: LoadResult;
  readonly residentMB: number;
}

/** A service of its own each time: what consumers have still to do would disturb the next run. */
async function measure(consumers: Consumers): Promise<Measured> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(temporaryDirectory());
  const wantsAll = consumers === 'everything';
  const nats = wantsAll && NO_NATS === false ? opened.use(await startNats()) : null;
  await nats?.addStream();
  const service = opened.use(
    await startProvisioned(directory.path, {
      ...ALLOW_RECEIVERS,
      ...(nats === null ? {} : { GATEHOUSE_NATS_URL: nats.url }),
    }),
  );
  if (consumers !== 'none') {
    const receiver = opened.use(await spawnReceiver());
    await read(service, receiver.port, wantsAll ? null : 'com.example.other');
  }
  const load = {
    kind: 'ingest',
    path: '/events',
    port: service.port,
    authorization: service.authorization,
    connections: 32,
    requests: Number.MAX_SAFE_INTEGER,
    events: EVENTS,
    eventBytes: 500,
  } as const;
  await spawnLoad({ ...load, seconds: options.warmUpSeconds });
  const done = await spawnLoad({ ...load, seconds: options.seconds });
  return { load: done, residentMB: round(service.rss()) };
}

/** @param type the only one that is wanted; null: all. */
async function read(service: Service, port: number, type: string | null): Promise<void> {
  const client = clientOf(service.url);
  const { subscribe } = subscribingIn(client, await signIn(client), service.spaceId);
  const url = `http://127.0.0.1:${port}/hook`;
  await subscribe(type === null ? { url } : { url, types: [type] });
  const query = type === null ? '' : `?type=${type}`;
  const { authorization } = service;
  const listener = get(`${service.url}/events/stream${query}`, { headers: { authorization } });
  listener.on('response', (response) => response.resume()).on('error', () => {});
}

const measured: Record<Consumers, Measured[]> = { none: [], 'passing over': [], everything: [] };
for (let run = 1; run <= options.runs; run += 1) {
  for (const consumers of CONSUMERS) measured[consumers].push(await measure(consumers));
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}

function shown(consumers: Consumers): object {
  const all = measured[consumers];
  const alone = measured.none.map(({ load }) => load.perSecond);
  return {
    eventsPerSecond: spread(all.map(({ load }) => load.perSecond * EVENTS)),
    ofThatAlone: spread(all.map(({ load }, run) => load.perSecond / (alone[run] ?? 0))),
    p99Ms: spread(all.map(({ load }) => load.p99)),
    residentMB: spread(all.map(({ residentMB }) => residentMB)),
  };
}

console.log(
  JSON.stringify(
    {
      claim: 'ingest while events are read',
      machine: machine(),
      options,
      results: Object.fromEntries(CONSUMERS.map((consumers) => [consumers, shown(consumers)])),
      targets: { ofThatAlone: 0.8 },
    },
    null,
    2,
  ),
);
process.exit(0);
