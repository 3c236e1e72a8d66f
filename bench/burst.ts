// Claim: a burst of connections does not make later requests more expensive. Compares the service with a service in which V8 may create
// objects in the old generation. Each run starts both services again, because V8 does not always do so.
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { clientOf } from '../packages/server/tests/support/http/client.ts';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { alternate } from './lib/alternate.ts';
import { report } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { startProvisioned } from './lib/service.ts';
import { spread } from './lib/spread.ts';
import { processTime } from './lib/thread-times.ts';
import { spawnLoad } from './load/spawn-load.ts';

const options = numberOptions({ runs: 5, seconds: 4, connections: 32, burst: 500 });
const path = '/assistant-link/exchange';
const PRETENURING = new URL('lib/with-pretenuring.ts', import.meta.url);
const NODE_OPTIONS = `--import=${pathToFileURL(PRETENURING.pathname).href}`;
/** Time in milliseconds after which the option is set in both services. */
const SETTLED_MS = 600;

async function measure(env: Record<string, string>) {
  using directory = temporaryDirectory();
  await using service = await startProvisioned(directory.path, env);
  await delay(SETTLED_MS);
  const key = service.authorization.slice('Bearer '.length);
  const { json } = await clientOf(service.url)('/assistant-link', { as: key, body: { sub: 'a' } });
  const body = JSON.stringify({ linkToken: json['token'] });
  const { connections, seconds } = options;
  const load = {
    kind: 'repeat' as const,
    ...{ path, body, connections, seconds, port: service.port },
    authorization: '',
    requests: Number.MAX_SAFE_INTEGER,
  };
  // The burst meets a service that has just started. Its connections stay open.
  await Promise.all(Array.from({ length: options.burst }, () => exchange(service.url, body)));
  await spawnLoad(load);
  const before = processTime(service.process.pid ?? 0);
  const { perSecond, requests } = await spawnLoad(load);
  return { perSecond, cpu: (processTime(service.process.pid ?? 0) - before) / requests };
}

async function exchange(url: string, body: string): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (response.status !== 200) throw new Error(`the exchange failed with ${response.status}`);
  await response.arrayBuffer();
}

const pairs = await alternate(
  options.runs,
  () => measure({ NODE_OPTIONS }),
  () => measure({}),
);
const before = pairs.map(({ first }) => first);
const after = pairs.map(({ second }) => second);
const summary = (runs: typeof after) => ({
  perSecond: spread(runs.map(({ perSecond }) => perSecond)),
  cpuMicroseconds: spread(runs.map(({ cpu }) => cpu)),
});
report('exchanges after a burst of connections', {
  options,
  withPretenuring: summary(before),
  service: summary(after),
});
