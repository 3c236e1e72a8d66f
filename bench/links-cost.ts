// Claim: the audit and an Idempotency-Key each slow down the creation of links by at most 10%. With `GATEHOUSE_TEST_BACKEND=postgres` and
// `scripts/with-postgres.ts --durable`, it measures PostgreSQL.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { ON_POSTGRES } from '../packages/server/tests/support/storage/backend.ts';
import { report } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { postgresCpu } from './lib/postgres-cpu.ts';
import { type Service, startProvisioned } from './lib/service.ts';
import { spread } from './lib/spread.ts';
import { processTime } from './lib/thread-times.ts';
import { spawnLoad } from './load/spawn-load.ts';

const options = numberOptions({ runs: 7, seconds: 5, connections: 32 });
const body = JSON.stringify({
  sub: 'customer-42',
  email: 'grace@example.com',
  ttlSeconds: 86_400,
  permissionFilter: { audience: { in: ['customers', 'public'] }, not: { status: { eq: 'draft' } } },
  widget: { title: 'Shop help', suggestions: ['Where is my order?'] },
});
const withoutAudit = pathToFileURL(join(import.meta.dirname, 'lib/without-audit.ts')).href;

using directory = temporaryDirectory();
const start = (name: string, env = {}) => startProvisioned(join(directory.path, name), env);
await using bare = await start('bare', { NODE_OPTIONS: `--import=${withoutAudit}` });
await using audited = await start('audited');

/** Returns the CPU time of a service and of the server of its database. The services run in turn, so they can share this server. */
const cpuTime = (service: Service) =>
  processTime(service.process.pid ?? 0) +
  (ON_POSTGRES ? postgresCpu(process.env['GATEHOUSE_TEST_POSTGRES'] ?? '') : 0);
const actionsOf = async (service: Service) => {
  const response = await fetch(
    `${service.url}/audit?spaceId=${service.spaceId}&action=link.created`,
    {
      headers: { authorization: service.administrator },
    },
  );
  return ((await response.json()) as { items: unknown[] }).items.length;
};
const create = async (service: Service, kind: 'repeat' | 'keyed') => {
  const { port, authorization } = service;
  const { connections, seconds } = options;
  const requests = Number.MAX_SAFE_INTEGER;
  const load = { path: '/assistant-link', authorization, port, connections, seconds, requests };
  const before = cpuTime(service);
  const { perSecond, requests: created } = await spawnLoad({ ...load, kind, body });
  return { perSecond, cpu: (cpuTime(service) - before) / created };
};

interface Measured {
  readonly perSecond: number;
  /** CPU time per link, in microseconds. */
  readonly cpu: number;
}
const VARIANTS = {
  bare: () => create(bare, 'repeat'),
  audited: () => create(audited, 'repeat'),
  keyed: () => create(audited, 'keyed'),
};
const names = Object.keys(VARIANTS) as (keyof typeof VARIANTS)[];
const rounds: Record<keyof typeof VARIANTS, Measured>[] = [];
for (let run = 0; run <= options.runs; run += 1) {
  const round: Partial<(typeof rounds)[number]> = {};
  // Each variant is measured equally often in each position of a round.
  for (const position of names.keys()) {
    const name = names[(run + position) % names.length] ?? 'bare';
    round[name] = await VARIANTS[name]();
  }
  // The first round is a warm-up.
  if (run > 0) rounds.push(round as (typeof rounds)[number]);
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}
if ((await actionsOf(bare)) > 0 || (await actionsOf(audited)) === 0)
  throw new Error('the compared services do not differ in their audit');

report('cost of the audit and of an Idempotency-Key for the creation of links', {
  store: ON_POSTGRES ? 'PostgreSQL' : 'SQLite',
  options,
  perSecond: {
    withoutAudit: spread(rounds.map((round) => round.bare.perSecond)),
    audited: spread(rounds.map((round) => round.audited.perSecond)),
    auditedWithKey: spread(rounds.map((round) => round.keyed.perSecond)),
  },
  cpuMicroseconds: {
    withoutAudit: spread(rounds.map((round) => round.bare.cpu)),
    audited: spread(rounds.map((round) => round.audited.cpu)),
    auditedWithKey: spread(rounds.map((round) => round.keyed.cpu)),
  },
  auditCpuRatio: spread(rounds.map((round) => round.bare.cpu / round.audited.cpu)),
  auditRatio: spread(rounds.map((round) => round.audited.perSecond / round.bare.perSecond)),
  keyRatio: spread(rounds.map((round) => round.keyed.perSecond / round.audited.perSecond)),
  keyCpuRatio: spread(rounds.map((round) => round.audited.cpu / round.keyed.cpu)),
  bothRatio: spread(rounds.map((round) => round.keyed.perSecond / round.bare.perSecond)),
  targets: { auditRatio: 0.9, keyRatio: 0.9 },
});
