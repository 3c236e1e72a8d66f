// Claim: traces cost nothing while they are off.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { report } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { type Service, startProvisioned } from './lib/service.ts';
import { spread } from './lib/spread.ts';
import { processTime } from './lib/thread-times.ts';
import { spawnLoad } from './load/spawn-load.ts';

const options = numberOptions({ runs: 7, seconds: 3, connections: 32 });
const body = JSON.stringify({ sub: 'customer-42', ttlSeconds: 86_400 });
const withoutTraces = pathToFileURL(join(import.meta.dirname, 'lib/without-traces.ts')).href;

using directory = temporaryDirectory();
const start = (name: string, env = {}) => startProvisioned(join(directory.path, name), env);
await using bare = await start('bare', { NODE_OPTIONS: `--import=${withoutTraces}` });
await using usual = await start('usual');

async function create(service: Service) {
  const { port, authorization } = service;
  const { connections, seconds } = options;
  const requests = Number.MAX_SAFE_INTEGER;
  const load = { path: '/assistant-link', authorization, port, connections, seconds, requests };
  const before = processTime(service.process.pid ?? 0);
  const { perSecond, requests: created } = await spawnLoad({ ...load, kind: 'repeat', body });
  return { perSecond, cpu: (processTime(service.process.pid ?? 0) - before) / created };
}

type Measured = Awaited<ReturnType<typeof create>>;
const rounds: Record<'bare' | 'usual', Measured>[] = [];
for (let run = 0; run <= options.runs; run += 1) {
  // The order alternates, because the second service finds a warmer machine.
  const first = run % 2 === 0 ? await create(bare) : null;
  const round = { usual: await create(usual), bare: first ?? (await create(bare)) };
  // The first round is a warm-up.
  if (run > 0) rounds.push(round);
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}

report('cost of the hooks for traces while traces are off, for the creation of links', {
  options,
  perSecond: {
    withoutHooks: spread(rounds.map((round) => round.bare.perSecond)),
    off: spread(rounds.map((round) => round.usual.perSecond)),
  },
  cpuMicroseconds: {
    withoutHooks: spread(rounds.map((round) => round.bare.cpu)),
    off: spread(rounds.map((round) => round.usual.cpu)),
  },
  ratio: spread(rounds.map((round) => round.usual.perSecond / round.bare.perSecond)),
  cpuRatio: spread(rounds.map((round) => round.bare.cpu / round.usual.cpu)),
});
