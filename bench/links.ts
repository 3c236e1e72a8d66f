// Claim: creating and exchanging links each reach at least half the rate of an empty JSON route in the same application.
import { join } from 'node:path';
import { startChild } from '../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { report } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { startProvisioned } from './lib/service.ts';
import { spread } from './lib/spread.ts';
import { spawnLoad } from './load/spawn-load.ts';

const options = numberOptions({ runs: 5, seconds: 6, connections: 32, links: 2000 });
const request = JSON.stringify({
  sub: 'customer-42',
  email: 'grace@example.com',
  ttlSeconds: 86_400,
  permissionFilter: { audience: { in: ['customers', 'public'] }, not: { status: { eq: 'draft' } } },
  widget: { title: 'Shop help', suggestions: ['Where is my order?'] },
});
const load = {
  connections: options.connections,
  seconds: options.seconds,
  requests: Number.MAX_SAFE_INTEGER,
};

using directory = temporaryDirectory();
await using ceiling = await startChild(join(import.meta.dirname, 'lib/ceiling-server.ts'));
await using service = await startProvisioned(directory.path);
const tokens = await Promise.all(
  Array.from({ length: options.links }, async () => {
    const response = await fetch(`${service.url}/assistant-link`, {
      method: 'POST',
      headers: { authorization: service.authorization, 'content-type': 'application/json' },
      body: request,
    });
    return ((await response.json()) as { token: string }).token;
  }),
);
const bodies = tokens.map((linkToken) => JSON.stringify({ linkToken }));

const exchangePath = '/assistant-link/exchange';
const measure = {
  ceiling: () =>
    spawnLoad({
      ...load,
      kind: 'repeat',
      path: exchangePath,
      authorization: '',
      body: bodies[0] ?? '',
      port: ceiling.port,
    }),
  create: () =>
    spawnLoad({
      ...load,
      kind: 'repeat',
      path: '/assistant-link',
      authorization: service.authorization,
      body: request,
      port: service.port,
    }),
  exchange: () =>
    spawnLoad({
      ...load,
      kind: 'cycle',
      path: exchangePath,
      authorization: '',
      bodies,
      port: service.port,
    }),
};

const rounds: { ceiling: number; create: number; exchange: number; p99: [number, number] }[] = [];
for (let run = 0; run <= options.runs; run += 1) {
  const [noop, create, exchange] = [
    await measure.ceiling(),
    await measure.create(),
    await measure.exchange(),
  ];
  // The first round is a warm-up.
  if (run === 0) continue;
  rounds.push({
    ceiling: noop.perSecond,
    create: create.perSecond,
    exchange: exchange.perSecond,
    p99: [create.p99, exchange.p99],
  });
  process.stderr.write(`run ${run} of ${options.runs}\n`);
}

report('link creation and exchange compared with an empty JSON route', {
  options,
  ceilingPerSecond: spread(rounds.map((round) => round.ceiling)),
  createPerSecond: spread(rounds.map((round) => round.create)),
  exchangePerSecond: spread(rounds.map((round) => round.exchange)),
  createRatio: spread(rounds.map((round) => round.create / round.ceiling)),
  exchangeRatio: spread(rounds.map((round) => round.exchange / round.ceiling)),
  createP99Ms: spread(rounds.map((round) => round.p99[0])),
  exchangeP99Ms: spread(rounds.map((round) => round.p99[1])),
  targets: { createRatio: 0.5, exchangeRatio: 0.5 },
});
