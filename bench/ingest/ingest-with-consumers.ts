// Claim: while consumers run, ingest reaches at least 0.8 of its rate without consumers. In the run `skipping`, a subscription and a
// listener filter out every event. In the run `everything`, the subscription, the listener and NATS receive every event. The consumers,
// the receiver and the NATS server then compete for the same two cores. In the run `projection`, a projection derives 100 records from the
// events. `GATEHOUSE_TEST_BACKEND=postgres` and `scripts/with-postgres.ts --durable` run it on PostgreSQL.
import { get } from 'node:http';
import { NO_NATS, startNats } from '../../packages/server/tests/support/brokers/nats-server.ts';
import { ALLOW_RECEIVERS } from '../../packages/server/tests/support/events/receiver.ts';
import { subscribingIn } from '../../packages/server/tests/support/events/subscribing.ts';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import {
  ORDERS,
  projectionsOf,
} from '../../packages/server/tests/support/knowledge/projections.ts';
import { signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { ON_POSTGRES } from '../../packages/server/tests/support/storage/backend.ts';
import { spawnReceiver } from '../deliveries/spawn-receiver.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { type Service, startProvisioned } from '../lib/service.ts';
import { round, spread } from '../lib/spread.ts';
import type { LoadResult } from '../load/run-load.ts';
import { spawnLoad } from '../load/spawn-load.ts';

const options = numberOptions({ runs: 3, seconds: 8, warmUpSeconds: 3 });
const EVENTS = 100;
const CONSUMERS = ['none', 'skipping', 'everything', 'projection'] as const;
type Consumers = (typeof CONSUMERS)[number];

interface Measured {
  readonly load: LoadResult;
  readonly residentMB: number;
  /** Events that the projection had not examined when the load ended. */
  readonly backlog: number;
}

/** Starts a new service for each run, because the backlog of consumers would disturb the next run. */
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
  if (consumers === 'projection') await startProjection(service);
  else if (consumers !== 'none') {
    const receiver = opened.use(await spawnReceiver());
    await startConsumers(service, receiver.port, wantsAll ? null : 'com.example.other');
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
    subjects: EVENTS,
  } as const;
  await spawnLoad({ ...load, seconds: options.warmUpSeconds });
  const done = await spawnLoad({ ...load, seconds: options.seconds });
  const { text } = await clientOf(service.url)('/metrics');
  const backlog = Number(/^gatehouse_projections_lag (\d+)/m.exec(text)?.[1]);
  return { load: done, residentMB: round(service.rss()), backlog };
}

async function startProjection(service: Service): Promise<void> {
  const client = clientOf(service.url);
  const projections = projectionsOf(client, await signIn(client), service.spaceId);
  const { id } = await projections.create({
    ...ORDERS,
    types: ['com.example.*'],
    fields: { status: '/paid', note: '/note' },
    metadata: {},
  });
  await projections.untilCurrent(id);
}

/** @param type event type to receive. `null`: all types. */
async function startConsumers(service: Service, port: number, type: string | null): Promise<void> {
  const client = clientOf(service.url);
  const { subscribe } = subscribingIn(client, await signIn(client), service.spaceId);
  const url = `http://127.0.0.1:${port}/hook`;
  await subscribe(type === null ? { url } : { url, types: [type] });
  const query = type === null ? '' : `?type=${type}`;
  const { authorization } = service;
  const listener = get(`${service.url}/events/stream${query}`, { headers: { authorization } });
  listener.on('response', (response) => response.resume()).on('error', () => {});
}

const measured: Record<Consumers, Measured[]> = {
  none: [],
  skipping: [],
  everything: [],
  projection: [],
};
for (let run = 1; run <= options.runs; run += 1) {
  for (const consumers of CONSUMERS) measured[consumers].push(await measure(consumers));
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}

function shown(consumers: Consumers): object {
  const all = measured[consumers];
  const alone = measured.none.map(({ load }) => load.perSecond);
  return {
    eventsPerSecond: spread(all.map(({ load }) => load.perSecond * EVENTS)),
    ratioWithoutConsumers: spread(all.map(({ load }, run) => load.perSecond / (alone[run] ?? 0))),
    p99Ms: spread(all.map(({ load }) => load.p99)),
    residentMB: spread(all.map(({ residentMB }) => residentMB)),
    projectionBacklog: spread(all.map(({ backlog }) => backlog)),
  };
}

report('ingest while consumers process events', {
  store: ON_POSTGRES ? 'PostgreSQL' : 'SQLite',
  options,
  results: Object.fromEntries(CONSUMERS.map((consumers) => [consumers, shown(consumers)])),
  targets: { ratioWithoutConsumers: 0.8 },
});
process.exit(0);
