/**
 * What happens to three replicas behind a load balancer, and to the clients in front of it, when something
 * breaks: `docs/reliability.md` has the figures of these tests.
 */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { ON_POSTGRES } from '../support/backend.ts';
import { FULL, SEED } from '../support/campaign.ts';
import { NO_HAPROXY } from '../support/haproxy.ts';
import { seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/service.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { type Cluster, startCluster } from './faults/cluster.ts';
import { DatabaseServer } from './faults/database-server.ts';
import { type Kind, Traffic } from './faults/traffic.ts';

/** How long something stays broken. */
const BROKEN_MS = Number(process.env['GATEHOUSE_TEST_BROKEN_MS'] ?? 4000);
const BEFORE_MS = 1_000;
const BACK_WITHIN_MS = 10_000;
/** How long it goes on after that, so that what comes late is seen. */
const AFTER_MS = 3_000;
const KINDS: readonly Kind[] = ['events', 'question', 'link', 'revocation', 'revoked link'];
const ENV = {
  GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_RATE_LIMIT_CHAT_LINK: '0',
  GATEHOUSE_LOG_LEVEL: 'silent',
};
/** They have databases of their own, whatever the other journeys of a run have. */
const twice = ON_POSTGRES ? 'it runs with the journeys on the embedded store' : undefined;
const skip = twice ?? postgresIsMissing ?? (NO_HAPROXY || undefined);

interface Fault {
  readonly cluster: Cluster;
  readonly database: DatabaseServer;
  readonly opened: AsyncDisposableStack;
  /** Everything before it was only preparing. */
  readonly begins: () => void;
}

/**
 * Breaks something and mends it under traffic.
 *
 * @param breakIt gives what mends it.
 */
async function underTraffic(
  context: TestContext,
  breakIt: (fault: Fault) => Promise<() => Promise<void>>,
  dataIn?: string,
): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await DatabaseServer.make(dataIn === undefined ? {} : { dataIn }));
  const { path } = opened.use(temporaryDirectory());
  const cluster = opened.use(await startCluster(database, path, ENV));
  await using traffic = new Traffic(cluster);
  await traffic.start();
  await sleep(BEFORE_MS);

  const good = (kind: Kind, from: number) =>
    traffic.said.filter(
      (one) => one.kind === kind && one.at > from && one.wrong === null && one.status !== 503,
    );

  let brokenAt = performance.now();
  const begins = () => {
    brokenAt = performance.now();
  };
  const mend = await breakIt({ cluster, database, opened, begins });
  await mend();
  const mendedAt = performance.now();
  const failures = () =>
    traffic.said.filter(
      ({ at, status, wrong }) => at > mendedAt && (status === 503 || wrong !== null),
    );
  const isQuiet = () => performance.now() - (failures().at(-1)?.at ?? mendedAt) > AFTER_MS;
  const worksAgain = () => KINDS.every((kind) => good(kind, mendedAt).length > 0);
  await until('it works again', () => isQuiet() && worksAgain());
  await traffic.stop();

  const backAfter = Math.max(0, ...failures().map(({ at }) => at - mendedAt));
  const counted = (status: number | null) =>
    traffic.said.filter((one) => one.at > brokenAt && one.status === status).length;
  context.diagnostic(
    `${traffic.said.length} requests, ${counted(503)} of them answered 503, ${traffic.brokenAnswers} answers broken off; ` +
      `broken for ${Math.round(mendedAt - brokenAt)} ms, the last failure ${Math.round(backAfter)} ms after that`,
  );
  assert.deepEqual([...traffic.wrongs()], []);
  assert.ok(backAfter < BACK_WITHIN_MS, `failing ${Math.round(backAfter)} ms after it was mended`);
  await traffic.assertKept();
}

/** Every fault, by what happens. */
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

  'the database is killed and started again': (context) =>
    underTraffic(context, async ({ database }) => {
      await database.stop('kill');
      return () => database.start();
    }),

  'the database is killed and its synchronous standby takes over': (context) =>
    underTraffic(context, async ({ cluster, database, opened, begins }) => {
      const standby = opened.use(await database.makeStandby());
      await sleep(BEFORE_MS);
      begins();
      await database.stop('kill');
      return async () => {
        await standby.promote();
        for (const link of cluster.links) await link.lead(standby.port);
      };
    }),

  'a replica is cut from the database': (context) =>
    underTraffic(context, async ({ cluster }) => {
      cluster.links[0]?.cut();
      await sleep(BROKEN_MS);
      return async () => cluster.links[0]?.mend();
    }),

  'the disk of the database is full': async (context) => {
    using disk = mountSmallDisk(150);
    if (disk === null) return context.skip('mounting is not permitted');
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

describe('under traffic nothing is lost, doubled or shown that must not be, when', { skip }, () => {
  const names = Object.keys(FAULTS);
  const random = seeded(SEED);
  // Two of them in a sample, chosen by the seed.
  while (!FULL && names.length > 2) names.splice(random.below(names.length), 1);
  for (const name of names)
    test(name, async (context) => {
      context.diagnostic(`seed ${SEED}`);
      await FAULTS[name]?.(context);
    });
});
