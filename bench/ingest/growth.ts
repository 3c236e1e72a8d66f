// Claim: when ten million events with random UUIDs are stored, ingest reaches at least 0.7 of its initial rate. Memory grows only by the
// size of the identity filters.

import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { spawnLoad } from '../load/spawn-load.ts';

const options = numberOptions({
  events: 10_000_000,
  step: 500_000,
  connections: 32,
  eventBytes: 500,
});
const EVENTS_PER_REQUEST = 100;

using directory = temporaryDirectory();
await using service = await startProvisioned(directory.path);
const load = {
  kind: 'ingest' as const,
  path: '/events',
  port: service.port,
  authorization: service.authorization,
  connections: options.connections,
  seconds: 600,
  events: EVENTS_PER_REQUEST,
  eventBytes: options.eventBytes,
};
// This load is a warm-up. Its events also count as stored events.
await spawnLoad({ ...load, requests: 2000 });
let stored = 2000 * EVENTS_PER_REQUEST;

const steps: { stored: number; eventsPerSecond: number; p99Ms: number; rssMB: number }[] = [];
while (stored < options.events + options.step) {
  const result = await spawnLoad({ ...load, requests: options.step / EVENTS_PER_REQUEST });
  steps.push({
    stored,
    eventsPerSecond: round(result.perSecond * EVENTS_PER_REQUEST),
    p99Ms: round(result.p99),
    rssMB: round(service.rss()),
  });
  stored += result.requests * EVENTS_PER_REQUEST;
  process.stderr.write(`${stored} events stored\n`);
}

// Compares medians of five steps, because a single step is noisy.
const rate = (fewSteps: typeof steps) =>
  fewSteps.map((step) => step.eventsPerSecond).toSorted((a, b) => a - b)[fewSteps.length >> 1] ?? 0;
const [empty, full] = [rate(steps.slice(0, 5)), rate(steps.slice(-5))];
report(
  'ingest with ten million stored events compared with an empty store, event IDs are random UUIDs',
  {
    options,
    emptyEventsPerSecond: empty,
    fullEventsPerSecond: full,
    ratio: round(full / empty),
    steps,
    targets: { ratio: 0.7 },
  },
);
