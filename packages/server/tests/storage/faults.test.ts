/**
 * Fault tests: three replicas behind a load balancer serve clients while a component fails. `docs/reliability.md` lists
 * the results.
 */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { NO_HAPROXY } from '../support/http/haproxy.ts';
import { seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { mountSmallDisk } from '../support/storage/small-disk.ts';
import { until } from '../support/until.ts';
import { type Cluster, startCluster } from './faults/cluster.ts';
import { DatabaseServer } from './faults/database-server.ts';
import { type Kind, Traffic } from './faults/traffic.ts';

const BROKEN_MS = Number(process.env['GATEHOUSE_TEST_BROKEN_MS'] ?? 4000);
const BEFORE_MS = 1_000;
/** Maximum time from the repair to the last failed request. */
const MAX_RECOVERY_MS = 10_000;
/** Time without failed requests after which the cluster counts as recovered. */
const QUIET_MS = 3_000;
const KINDS: readonly Kind[] = ['events', 'question', 'link', 'revocation', 'revoked link'];
const ENV = {
  GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_RATE_LIMIT_CHAT_LINK: '0',
  GATEHOUSE_LOG_LEVEL: 'silent',
};
/** These tests always start their own PostgreSQL, so they run only once. */
const onlyOnce = ON_POSTGRES ? 'runs with the tests on SQLite' : undefined;
const skip = onlyOnce ?? postgresIsMissing ?? (NO_HAPROXY || undefined);

interface Fault {
  readonly cluster: Cluster;
  readonly database: DatabaseServer;
  readonly opened: AsyncDisposableStack;
  /** Marks the start of the fault. `inject` calls this function if it needs preparation before the fault. */
  readonly begin: () => void;
}

/**
 * Injects a fault under traffic and repairs it. Asserts that clients received no wrong responses and that no
 * acknowledged data was lost.
 *
 * @param inject causes the fault and returns a function that repairs it.
 * @param dataIn data directory of the database server.
 */
async function underTraffic(
  context: TestContext,
  inject: (fault: Fault) => Promise<() => Promise<void>>,
  dataIn?: string,
): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await DatabaseServer.make(dataIn === undefined ? {} : { dataIn }));
  const { path } = opened.use(temporaryDirectory());
  const cluster = opened.use(await startCluster(database, path, ENV));
  await using traffic = new Traffic(cluster);
  await traffic.start();
  await sleep(BEFORE_MS);

  const successes = (kind: Kind, from: number) =>
    traffic.outcomes.filter(
      (one) => one.kind === kind && one.at > from && one.problem === null && one.status !== 503,
    );

  let brokenAt = performance.now();
  const begin = () => {
    brokenAt = performance.now();
  };
  const repair = await inject({ cluster, database, opened, begin });
  await repair();
  const repairedAt = performance.now();
  const failures = () =>
    traffic.outcomes.filter(
      ({ at, status, problem }) => at > repairedAt && (status === 503 || problem !== null),
    );
  const isQuiet = () => performance.now() - (failures().at(-1)?.at ?? repairedAt) > QUIET_MS;
  const hasRecovered = () => KINDS.every((kind) => successes(kind, repairedAt).length > 0);
  await until('the cluster has recovered', () => isQuiet() && hasRecovered());
  await traffic.stop();

  const backAfter = Math.max(0, ...failures().map(({ at }) => at - repairedAt));
  const count = (status: number) =>
    traffic.outcomes.filter((one) => one.at > brokenAt && one.status === status).length;
  context.diagnostic(
    `${traffic.outcomes.length} requests, ${count(503)} answered 503, ${traffic.brokenAnswers} answers interrupted; ` +
      `fault lasted ${Math.round(repairedAt - brokenAt)} ms, last failure ${Math.round(backAfter)} ms after the repair`,
  );
  assert.deepEqual([...traffic.problems()], []);
  assert.ok(
    backAfter < MAX_RECOVERY_MS,
    `still failing ${Math.round(backAfter)} ms after the repair`,
  );
  await traffic.assertKept();
}

const FAULTS: Readonly<Record<string, (context: TestContext) => Promise<void>>> = {
  'a replica is killed': (context) =>
    underTraffic(context, async ({ cluster }) => {
      await cluster.replicas[0]?.stop('SIGKILL');
      await sleep(BROKEN_MS);
      return () => cluster.restart(0);
    }),

  'the database is stopped': (context) =>
    underTraffic(context, async ({ database }) => {
      await database.stop('fast');
      await sleep(BROKEN_MS);
      return () => database.start();
    }),

  'the database is killed and restarted': (context) =>
    underTraffic(context, async ({ database }) => {
      await database.stop('kill');
      return () => database.start();
    }),

  'the database is killed and its synchronous standby takes over': (context) =>
    underTraffic(context, async ({ cluster, database, opened, begin }) => {
      const standby = opened.use(await database.makeStandby());
      await sleep(BEFORE_MS);
      begin();
      await database.stop('kill');
      return async () => {
        await standby.promote();
        for (const link of cluster.links) await link.redirect(standby.port);
      };
    }),

  'a replica loses its connection to the database': (context) =>
    underTraffic(context, async ({ cluster }) => {
      cluster.links[0]?.cut();
      await sleep(BROKEN_MS);
      return async () => cluster.links[0]?.repair();
    }),

  'the disk of the database is full': async (context) => {
    using disk = mountSmallDisk(150);
    if (disk === null) return context.skip('mounting a file system requires root');
    await underTraffic(
      context,
      async ({ database }) => {
        disk.fill();
        await until('writes fail', () =>
          database.sql('create table filler as select generate_series(1, 100000)').then(
            () => false,
            () => true,
          ),
        );
        await sleep(BROKEN_MS);
        return async () => disk.makeRoom();
      },
      disk.path,
    );
  },
};

describe('a cluster', {
  skip,
}, () => {
  const names = Object.keys(FAULTS);
  const random = seeded(SEED);
  // A sample runs one random fault.
  while (!FULL && names.length > 1) names.splice(random.below(names.length), 1);
  for (const name of names)
    test(`loses or duplicates no events and shows no hidden documents when ${name}`, async (context) => {
      context.diagnostic(`seed ${SEED}`);
      await FAULTS[name]?.(context);
    });
});
