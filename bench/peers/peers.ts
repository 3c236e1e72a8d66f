// Claim: durable, deduplicating ingest is faster than a service that a team could build with Express, the `cloudevents` package, and
// PostgreSQL or Redis. Other systems that sync events to disk before they acknowledge them are measured for comparison. Upper bounds: our
// application without a store, and JetStream without syncing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { type Spread, spread } from '../lib/spread.ts';
import { JETSTREAM, SYNCED_JETSTREAM, SYNCED_KAFKA } from './broker-peers.ts';
import { DURABLE_STREAMS_IN_RUST, durableStreamsOnNode } from './durable-streams/peers.ts';
import { CEILING, expressWithPostgres, expressWithRedis, GATEHOUSE } from './http-peers.ts';
import { INGEST_PEERS, installPeers } from './install-peers.ts';
import type { Form, Peer, Shape } from './peer.ts';

const USUAL: Shape = { events: 100, eventBytes: 500, duplicates: 0, connections: 32 };
const SHAPES: readonly Shape[] = [
  USUAL,
  { ...USUAL, events: 10 },
  { ...USUAL, events: 1 },
  { ...USUAL, eventBytes: 1000 },
  { ...USUAL, eventBytes: 64_000, connections: 8 },
  { ...USUAL, duplicates: 0.5 },
  { ...USUAL, duplicates: 1 },
];
/** `firstShape`: number of the first shape to measure, from 1. `shapes`: number of shapes to measure. */
const options = numberOptions({
  runs: 3,
  seconds: 4,
  warmUpSeconds: 1,
  firstShape: 1,
  shapes: SHAPES.length,
});

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
installPeers(folder, INGEST_PEERS);

const peers: readonly Peer[] = [
  CEILING,
  GATEHOUSE,
  expressWithPostgres(folder),
  expressWithRedis(folder),
  SYNCED_JETSTREAM,
  JETSTREAM,
  SYNCED_KAFKA,
  durableStreamsOnNode(folder),
  DURABLE_STREAMS_IN_RUST,
];
const skipped = peers.flatMap(({ missing }) => (missing === false ? [] : [missing]));
for (const reason of skipped) process.stderr.write(`skipped: ${reason}\n`);

const systems: Record<string, Pick<Form, 'acknowledged' | 'deduplicated'>> = {};
const results: (Shape & { eventsPerSecond: Record<string, Spread> })[] = [];
for (const shape of SHAPES.slice(options.firstShape - 1).slice(0, options.shapes)) {
  await using opened = new AsyncDisposableStack();
  const forms = await startAll(opened);
  for (const { name, acknowledged, deduplicated } of forms)
    systems[name] = { acknowledged, deduplicated };
  results.push({ ...shape, eventsPerSecond: await measureAll(forms, shape) });
  process.stderr.write(`${JSON.stringify(results.at(-1))}\n`);
}

/** Starts all systems with empty stores, so that they are measured with the same amount of data. */
async function startAll(opened: AsyncDisposableStack): Promise<readonly Form[]> {
  const forms: Form[] = [];
  for (const { missing, start } of peers)
    if (missing === false) forms.push(...(await start(opened)));
  return forms;
}

async function measureAll(forms: readonly Form[], shape: Shape): Promise<Record<string, Spread>> {
  for (const { measure } of forms) await measure(shape, options.warmUpSeconds);
  const rates = forms.map(({ name }) => ({ name, list: [] as number[] }));
  for (let run = 0; run < options.runs; run += 1)
    for (const [index, { measure }] of forms.entries())
      rates[index]?.list.push(await measure(shape, options.seconds));
  return Object.fromEntries(rates.map(({ name, list }) => [name, spread(list)]));
}

report('ingest compared with systems that a team would build', {
  options,
  systems,
  skipped,
  results,
});
