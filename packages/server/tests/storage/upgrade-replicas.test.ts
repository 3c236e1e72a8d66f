/**
 * Replicas of two releases share one PostgreSQL database and serve the same clients. `docs/reliability.md` lists the results.
 */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { NO_HAPROXY } from '../support/http/haproxy.ts';
import { seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';
import { DatabaseServer } from './faults/database-server.ts';
import { Cluster } from './releases/cluster.ts';
import { findEarlierCommit } from './releases/earlier-commits.ts';
import { checkOut, createLaterRelease, type Release, thisRelease } from './releases/release.ts';
import { Traffic } from './releases/traffic.ts';

const skip =
  (!FULL && 'runs in npm run test:chaos') || (postgresIsMissing ?? (NO_HAPROXY || undefined));
/** Each round kills one replica of each release. */
const ROUNDS = roundsOf(1, 3);
/** Duration of each phase in milliseconds. */
const PHASE_MS = 10_000;

interface Scene extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly traffic: Traffic;
}

/** Starts two replicas of a release and their clients. */
async function openScene(release: Release): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(temporaryDirectory());
  const database = opened.use(await DatabaseServer.make());
  const cluster = opened.use(await Cluster.start(database, path, release));
  const traffic = opened.use(await Traffic.start(cluster, seeded(SEED)));
  const all = opened.move();
  return { cluster, traffic, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/**
 * Replaces the replicas of a release one after the other under traffic. In between, kills replicas of both releases, so that the
 * background jobs move to the other release and back.
 */
async function replaceReplicas(
  context: TestContext,
  scene: Scene,
  from: Release,
  to: Release,
): Promise<void> {
  const { cluster, traffic } = scene;
  const { recorder, receiver, documents } = traffic;
  const startedAt = performance.now();
  const phase = (text: string) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    context.diagnostic(
      `${seconds} s: ${text}; ${recorder.requests} requests, ${recorder.unavailable} answered 503`,
    );
    assertNoProblems(context, scene);
  };
  const untilTrue = (what: string, condition: () => boolean | Promise<boolean>) =>
    until(what, () => {
      assertNoProblems(context, scene);
      return condition();
    });
  await sleep(PHASE_MS);
  phase(`replacing the first replica of ${from.name}`);
  assert.equal(await cluster.stop(0, 'SIGTERM'), 0);
  await cluster.start(0, to);
  phase('serving with both releases');
  await sleep(PHASE_MS);
  assert.equal(recorder.unavailable, 0, 'a replacement makes no request fail');
  const handOver = async (killed: number, release: Release) => {
    await cluster.stop(killed, 'SIGKILL');
    await untilTrue('the other replica holds all jobs', () => cluster.holdsAllJobs(1 - killed));
    const [delivered, { editions }] = [receiver.taken().length, documents.count];
    await untilTrue('the other replica delivers', () => receiver.taken().length > delivered);
    // The client replaces the document again when it has found the new version on every replica.
    await untilTrue('the other replica indexes', () => documents.count.editions > editions + 1);
    await cluster.start(killed, release);
    phase(`a replica of ${release.name} was killed, and started again`);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await handOver(0, to);
    await sleep(PHASE_MS / 2);
    await handOver(1, from);
    await sleep(PHASE_MS / 2);
  }
  assert.equal(await cluster.stop(1, 'SIGTERM'), 0);
  await cluster.start(1, to);
  phase(`all replicas are of ${to.name}`);
  await sleep(PHASE_MS);
  await traffic.stop();
  phase('stopped');
}

/** Asserts that clients saw no wrong response. Prints errors that the replicas logged. */
function assertNoProblems(context: TestContext, { cluster, traffic }: Scene): void {
  const { problems } = traffic.recorder;
  if (problems.length > 0) context.diagnostic(cluster.errors());
  assert.deepEqual(problems, []);
}

/** Asserts that clients saw no wrong response, and that nothing that was acknowledged is lost. */
async function assertServed(
  context: TestContext,
  scene: Scene,
  kills: number,
  keys: boolean,
): Promise<void> {
  const { traffic } = scene;
  context.diagnostic(traffic.summary());
  assertNoProblems(context, scene);
  assert.ok(traffic.documents.brokenAnswers <= kills, 'only kills interrupt answers');
  assert.ok(traffic.brokenStreams <= kills, 'only kills interrupt streams');
  await traffic.assertKept({ keys });
}

const namesOf = async (cluster: Cluster): Promise<unknown[]> =>
  (await cluster.sql('select name from migrations')).map(({ name }) => name);

describe('an upgrade of replicas on PostgreSQL', { skip }, () => {
  const rolling = skip || findEarlierCommit('rolling');
  test('one after the other loses nothing, while replicas of an earlier release and of this release serve the same clients', {
    skip: typeof rolling === 'string' && rolling,
  }, async (context) => {
    if (typeof rolling === 'string') return;
    context.diagnostic(`seed ${SEED}, migrations ${rolling.added.join(', ') || 'none'}`);
    using earlier = checkOut(rolling.commit);
    await using scene = await openScene(earlier);
    await replaceReplicas(context, scene, earlier, thisRelease);
    await assertServed(context, scene, 2 * ROUNDS, true);
  });

  test('one after the other loses nothing, if the later release adds columns and an index to every table', async (context) => {
    context.diagnostic(`seed ${SEED}`);
    await using scene = await openScene(thisRelease);
    const { cluster } = scene;
    const known = await namesOf(cluster);
    const tables = await cluster.sql(
      "select tablename from pg_tables where schemaname = current_schema() and tablename <> 'migrations'",
    );
    using later = createLaterRelease(tables.map(({ tablename }) => String(tablename)));
    await replaceReplicas(context, scene, thisRelease, later);
    assert.equal((await namesOf(cluster)).length, known.length + tables.length);
    await assertServed(context, scene, 2 * ROUNDS, true);
  });

  const stopped = skip || findEarlierCommit('stopped');
  test('with all replicas stopped loses nothing, and a replica of the earlier release then refuses to start without effect on the others', {
    skip: typeof stopped === 'string' && stopped,
  }, async (context) => {
    if (typeof stopped === 'string') return;
    context.diagnostic(`seed ${SEED}, migrations ${stopped.added.join(', ')}`);
    using earlier = checkOut(stopped.commit);
    await using scene = await openScene(earlier);
    const { cluster, traffic } = scene;
    await sleep(PHASE_MS);
    assert.deepEqual(
      await Promise.all([cluster.stop(0, 'SIGTERM'), cluster.stop(1, 'SIGTERM')]),
      [0, 0],
    );
    await cluster.start(0, thisRelease);
    await cluster.start(1, thisRelease);
    await sleep(PHASE_MS);

    const { requests, unavailable } = traffic.recorder;
    const refused = await cluster.run(earlier);
    assert.equal(refused.code, 78);
    const unknown = stopped.added.filter((name) => !name.endsWith('+')).join(', ');
    assert.equal(
      refused.stderr,
      `gatehouse: the database has migrations that this release does not know (${unknown}); start the newer release instead\n`,
    );
    await sleep(PHASE_MS / 2);
    assert.ok(traffic.recorder.requests > requests);
    assert.equal(traffic.recorder.unavailable, unavailable);
    await traffic.stop();
    // A request with a key that was sent before migration 28 creates another link if it is repeated.
    await assertServed(context, scene, 0, false);
  });
});
