// Claim: a space that sends as much as possible raises the p99 of another space only by the cost of sharing two cores. Measures the quiet
// space alone, during a flood of events into another space, during the same flood with a rate limit, and, for comparison, during the
// same flood at our HTTP application without a store and without fair queues.

import { join } from 'node:path';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { startChild } from '../../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { runPaced } from '../load/run-paced.ts';
import { spawnLoad } from '../load/spawn-load.ts';

const options = numberOptions({
  seconds: 10,
  perSecond: 50,
  floodConnections: 32,
  floodEvents: 100,
  floodEventBytes: 2000,
  limitEvents: 20_000,
});
const { seconds, perSecond, floodConnections, floodEvents, floodEventBytes, limitEvents } = options;

interface Row {
  readonly quietMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly quietRefused: number;
  readonly floodP50Ms: number;
  readonly floodEventsPerSecond: number;
  readonly floodRefused: number;
}

async function measure(flood: boolean, env: Readonly<Record<string, string>>): Promise<Row> {
  using directory = temporaryDirectory();
  await using service = await startProvisioned(directory.path, env);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const other = await makeKey(client, session, (await makeSpace(client, session)).id);
  return await measureAt(service, `Bearer ${other}`, flood);
}

async function measureWithoutStore(): Promise<Row> {
  await using ceiling = await startChild(join(import.meta.dirname, '../lib/ceiling-server.ts'));
  return await measureAt({ port: ceiling.port, authorization: '' }, '', true);
}

async function measureAt(
  { port, authorization }: { readonly port: number; readonly authorization: string },
  quietAuthorization: string,
  flood: boolean,
): Promise<Row> {
  const flooding = flood
    ? spawnLoad({
        kind: 'ingest',
        path: '/events',
        ...{ port, authorization },
        connections: floodConnections,
        seconds: seconds + 2,
        requests: Number.MAX_SAFE_INTEGER,
        events: floodEvents,
        eventBytes: floodEventBytes,
        refusals: true,
      })
    : null;
  if (flood) await new Promise((resolve) => setTimeout(resolve, 1000));
  const quiet = await runPaced({
    port,
    authorization: quietAuthorization,
    seconds,
    perSecond,
  });
  const result = await flooding;
  return {
    quietMs: { p50: round(quiet.p50), p99: round(quiet.p99), max: round(quiet.max) },
    quietRefused: quiet.refused,
    floodP50Ms: round(result?.p50 ?? 0),
    floodEventsPerSecond: round((result?.perSecond ?? 0) * floodEvents),
    floodRefused: result?.refused ?? 0,
  };
}

const alone = await measure(false, {});
const beside = await measure(true, {});
const withoutStore = await measureWithoutStore();
const limited = await measure(true, { GATEHOUSE_RATE_LIMIT_EVENTS_SPACE: String(limitEvents) });

report('a quiet space beside a space that sends as much as possible', {
  options,
  alone,
  beside,
  withoutStore,
  limited,
});
