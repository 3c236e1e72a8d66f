import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { until } from '../../../../tests/support/until.ts';
import { type LeasesUnderTest, leasesSuite, newJob, noted } from '../../ports/leases.suite.ts';
import { LeaseLost } from '../../ports/leases.ts';
import { inTransaction } from '../../ports/transactions.ts';
import { newDatabase } from '../database.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { openPool } from '../pool.ts';
import { createLeases } from './index.ts';

const options = { skip: postgresIsMissing };
const space = (id: string) => ({ id, name: id, created_at: 1 });

function openLeases(url: string) {
  const pool = openPool({ url, connections: 1, answerWithinMs: 2000, onError: () => {} });
  const leases = createLeases({
    pool,
    hints: { publish: () => {}, subscribe: () => {} },
    holder: randomUUID(),
    onError: () => {},
  });
  let cut: Promise<void> | null = null;
  return {
    leases,
    cutOff: () => {
      cut ??= Promise.resolve(pool[Symbol.asyncDispose]());
    },
    [Symbol.asyncDispose]: async () => {
      await leases[Symbol.asyncDispose]();
      await (cut ?? pool[Symbol.asyncDispose]());
    },
  };
}

let url: Promise<string> | undefined;

async function open(): Promise<LeasesUnderTest> {
  url ??= newDatabase();
  return openStore(await url, { onError: () => {} });
}

leasesSuite('PostgreSQL', postgresIsMissing ?? false, open);

test(
  'only one of two processes runs a job, and the other process runs the job after its release',
  options,
  async () => {
    await using one = await open();
    await using two = await open();
    const name = newJob();
    const [first, second]: [string[], string[]] = [[], []];
    const job = noted(one.leases, name, first);
    await job.start();
    await using other = noted(two.leases, name, second);
    await other.start();
    await sleep(1500);
    assert.deepEqual([first, second], [['begun'], []]);
    assert.equal(other.work, null);
    await job[Symbol.asyncDispose]();
    await until('the other process holds the job', () => second.length > 0);
    assert.deepEqual([first, second], [['begun', 'ended'], ['begun']]);
  },
);

test('a hint for a job reaches the process that holds the job', options, async () => {
  await using one = await open();
  await using two = await open();
  const [name, notes]: [string, string[]] = [newJob(), []];
  await using job = noted(one.leases, name, notes);
  await job.start();
  await using other = noted(two.leases, name, []);
  await other.start();
  // The listener connects shortly after the store opens.
  while (!notes.includes('looked at there')) {
    other.notify('there');
    await sleep(50);
  }
});

test(
  'a disconnected holder can no longer write and stops before another holder starts',
  options,
  async () => {
    await using store = await open();
    await using one = openLeases((await url) ?? '');
    const name = newJob();
    const notes: string[] = [];
    await using job = noted(one.leases, name, notes);
    await job.start();
    const { term } = job.work ?? assert.fail('the job is not held');
    await using other = store.leases.job(name, async () => {
      notes.push('other begun');
      return { onHint: () => {}, stop: async () => {} };
    });
    await other.start();
    one.cutOff();
    await until('the other process holds the job', () => notes.includes('other begun'));
    assert.deepEqual(notes, ['begun', 'ended', 'other begun']);
    assert.ok(term.signal.aborted && !term.isHeld());
    const insert = store.db.insertInto('spaces').values(space(name));
    await assert.rejects(store.writeAtomically([...term.fence, insert]), LeaseLost);
    const fenced = inTransaction(store.db, async (trx) => {
      for (const write of term.fence) await trx.executeQuery(write.compile());
      await trx.insertInto('spaces').values(space(name)).execute();
    });
    await assert.rejects(fenced, LeaseLost);
    const kept = await store.db.selectFrom('spaces').select('id').where('id', '=', name).execute();
    assert.deepEqual(kept, []);
  },
);

test('a takeover waits for a fenced write in progress', options, async () => {
  await using store = await open();
  await using one = openLeases((await url) ?? '');
  await using two = openLeases((await url) ?? '');
  const name = newJob();
  await using job = noted(one.leases, name, []);
  await job.start();
  const { term } = job.work ?? assert.fail('the job is not held');
  const notes: string[] = [];
  const fencePassed = Promise.withResolvers<void>();
  const writing = inTransaction(store.db, async (trx) => {
    for (const write of term.fence) await trx.executeQuery(write.compile());
    fencePassed.resolve();
    // This wait is longer than the lease.
    await sleep(6000);
    await trx.insertInto('spaces').values(space(name)).execute();
    notes.push('written');
  });
  await fencePassed.promise;
  one.cutOff();
  await using other = noted(two.leases, name, notes);
  await other.start();
  await writing;
  await until('the other process holds the job', () => notes.includes('begun'));
  assert.deepEqual(notes, ['written', 'begun']);
});

test('many fenced writes do not prevent a holder from renewing its lease', options, async () => {
  await using store = await open();
  const notes: string[] = [];
  await using job = noted(store.leases, newJob(), notes);
  await job.start();
  const { term } = job.work ?? assert.fail('the job is not held');
  const end = performance.now() + 7000;
  let writes = 0;
  const write = async () => {
    while (performance.now() < end) {
      writes += 1;
      await store.writeAtomically([
        ...term.fence,
        store.db.insertInto('spaces').values(space(randomUUID())),
      ]);
    }
  };
  await Promise.all([write(), write(), write()]);
  assert.ok(writes > 100);
  assert.ok(term.isHeld());
  assert.deepEqual(notes, ['begun']);
});

test('jobs that become free together are distributed over the processes', options, async () => {
  await using one = await open();
  await using two = await open();
  const names = Array.from({ length: 6 }, newJob);
  const jobs = [one, two].map(({ leases }) => names.map((name) => noted(leases, name, [])));
  await Promise.all(jobs.flat().map((job) => job.start()));
  const held = () => jobs.map((own) => own.filter(({ work }) => work !== null).length);
  await until(
    'all jobs are held',
    () => held().reduce((sum, count) => sum + count) === names.length,
  );
  assert.ok(
    held().every((count) => count > 0),
    held().join(' and '),
  );
  for (const job of jobs.flat()) await job[Symbol.asyncDispose]();
});

test('a job whose work fails to start is retried', options, async () => {
  await using store = await open();
  let attempts = 0;
  await using job = store.leases.job(newJob(), async () => {
    attempts += 1;
    if (attempts < 3) throw new Error('not yet');
    return { onHint: () => {}, stop: async () => {} };
  });
  await job.start();
  await until('the work has started', () => job.work !== null);
  assert.equal(attempts, 3);
});
