// Explains the rates of other benchmarks. Measures the CPU time per request and thread, for each path and for its upper bound. CPU time
// is meaningful even if the machine is busy with other work.
import { join } from 'node:path';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { startChild } from '../../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { threadTimes } from '../lib/thread-times.ts';
import type { LoadRequest } from '../load/main.ts';
import { spawnLoad } from '../load/spawn-load.ts';

const options = numberOptions({ seconds: 5, connections: 32, links: 500 });
const link = JSON.stringify({
  sub: 'customer-42',
  permissionFilter: { audience: { eq: 'public' } },
});
const exchangePath = '/assistant-link/exchange';

using directory = temporaryDirectory();
await using ceiling = await startChild(join(import.meta.dirname, '../lib/ceiling-server.ts'));
await using service = await startProvisioned(directory.path);
const client = clientOf(service.url);
const key = service.authorization.slice('Bearer '.length);
const made = Array.from({ length: options.links }, () =>
  client('/assistant-link', { as: key, body: link }),
);
const bodies = (await Promise.all(made)).map(({ json }) =>
  JSON.stringify({ linkToken: json['token'] }),
);

const load = { ...options, requests: Number.MAX_SAFE_INTEGER };
const ours = { ...load, port: service.port, authorization: service.authorization };
const bare = { ...load, port: ceiling.port, authorization: '' };
const ingest = { kind: 'ingest' as const, path: '/events', events: 100, eventBytes: 500 };
const measured: Record<string, unknown> = {};
async function measure(name: string, pid: number | undefined, request: LoadRequest): Promise<void> {
  // The first load is a warm-up.
  await spawnLoad({ ...request, seconds: 2 });
  const before = threadTimes(pid ?? 0);
  const { requests, perSecond } = await spawnLoad(request);
  const perRequest = [...threadTimes(pid ?? 0)]
    .map(
      ([thread, time]) => [thread, round((time - (before.get(thread) ?? 0)) / requests)] as const,
    )
    .filter(([, time]) => time >= 1);
  measured[name] = { perSecond: round(perSecond), cpuMicroseconds: Object.fromEntries(perRequest) };
}

const repeat = { kind: 'repeat' as const, body: bodies[0] ?? '', path: exchangePath };
await measure('empty JSON route', ceiling.process.pid, { ...bare, ...repeat });
await measure('link creation', service.process.pid, {
  ...ours,
  kind: 'repeat',
  path: '/assistant-link',
  body: link,
});
await measure('exchange', service.process.pid, {
  ...ours,
  kind: 'cycle',
  path: exchangePath,
  authorization: '',
  bodies,
});
await measure('ingest without a store', ceiling.process.pid, { ...bare, ...ingest });
await measure('ingest', service.process.pid, { ...ours, ...ingest });
console.log(JSON.stringify({ machine: machine(), options, measured }, null, 2));
