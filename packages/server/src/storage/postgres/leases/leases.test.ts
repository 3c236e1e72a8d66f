import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import {
  type LeasesUnderTest,
  leasesSuite,
  newJob,
  noted,
  until,
} from '../../ports/leases.suite.ts';
import { LeaseLost } from '../../ports/leases.ts';
import { inTransaction } from '../../ports/transactions.ts';
import { newDatabase } from '../database.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { openPool } from '../pool.ts';
import { createLeases } from './index.ts';

const options = { skip: postgresIsMissing };
const space = (id: string) => ({ id, name: id, created_at: 1 });

/** The leases of a process that can be cut off from the database. */
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
    /** From now on it cannot be asked. */
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

/** A process more on the one database of this file. */
async function open(): Promise<LeasesUnderTest> {
  url ??= newDatabase();
  return openStore(await url, { onError: () => {} });
}

leasesSuite('PostgreSQL', postgresIsMissing ?? false, open);

test(
  'one of two processes has a job, and the other takes it when it is given back',
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
    await until('the other has it', () => second.length > 0);
    assert.deepEqual([first, second], [['begun', 'ended'], ['begun']]);
  },
);

test('who holds a job hears what another process tells', options, async () => {
  await using one = await open();
  await using two = await open();
  const [name, notes]: [string, string[]] = [newJob(), []];
  await using job = noted(one.leases, name, notes);
  await job.start();
  await using other = noted(two.leases, name, []);
  await other.start();
  // It listens soon after it was opened.
  while (!notes.includes('looked at there')) {
    other.notify('there');
    await sleep(50);
  }
});

test(
  'a holder that is cut off stops before another begins, and writes nothing any more',
  options,
  async () => {
    await using store = await open();
    await using one = openLeases((await url) ?? '');
    const name = newJob();
    const notes: string[] = [];
    await using job = noted(one.leases, name, notes);
    await job.start();
    const { term } = job.work ?? assert.fail('nobody holds it');
    await using other = store.leases.job(name, async () => {
      notes.push('other begun');
      return { onHint: () => {}, stop: async () => {} };
    });
    await other.start();
    one.cutOff();
    await until('the other has it', () => notes.includes('other begun'));
    assert.deepEqual(notes, ['begun', 'ended', 'other begun']);
    assert.ok(term.signal.aborted && !term.isHeld());
    const insert = store.db.insertInto('spaces').values(space(name));
    await assert.rejects(store.writeTogether([...term.fence, insert]), LeaseLost);
    const fenced = inTransaction(store.db, async (trx) => {
      for (const write of term.fence) await trx.executeQuery(write.compile());
      await trx.insertInto('spaces').values(space(name)).execute();
    });
    await assert.rejects(fenced, LeaseLost);
    const kept = await store.db.selectFrom('spaces').select('id').where('id', '=', name).execute();
    assert.deepEqual(kept, []);
  },
);

test('whoever takes a job waits for a write that was let through before', options, async () => {
  await using store = await open();
  await using one = openLeases((await url) ?? '');
  await using two = openLeases((await url) ?? '');
  const name = newJob();
  await using job = noted(one.leases, name, []);
  await job.start();
  const { term } = job.work ?? assert.fail('nobody holds it');
  const notes: string[] = [];
  const letThrough = Promise.withResolvers<void>();
  const writing = inTransaction(store.db, async (trx) => {
    for (const write of term.fence) await trx.executeQuery(write.compile());
    letThrough.resolve();
    // Longer than the lease.
    await sleep(6000);
    await trx.insertInto('spaces').values(space(name)).execute();
    notes.push('written');
  });
  await letThrough.promise;
  one.cutOff();
  await using other = noted(two.leases, name, notes);
  await other.start();
  await writing;
  await until('the other has it', () => notes.includes('begun'));
  assert.deepEqual(notes, ['written', 'begun']);
});

test(
  'a holder is not held up by its own writes, and keeps its job through many of them',
  options,
  async () => {
    await using store = await open();
    const notes: string[] = [];
    await using job = noted(store.leases, newJob(), notes);
    await job.start();
    const { term } = job.work ?? assert.fail('nobody holds it');
    const end = performance.now() + 7000;
    let writes = 0;
    const write = async () => {
      while (performance.now() < end) {
        writes += 1;
        await store.writeTogether([
          ...term.fence,
          store.db.insertInto('spaces').values(space(randomUUID())),
        ]);
      }
    };
    await Promise.all([write(), write(), write()]);
    assert.ok(writes > 100);
    assert.ok(term.isHeld());
    assert.deepEqual(notes, ['begun']);
  },
);

test(
  'jobs that are free at once are spread over the processes that ask for them',
  options,
  async () => {
    await using one = await open();
    await using two = await open();
    const names = Array.from({ length: 6 }, newJob);
    const jobs = [one, two].map(({ leases }) => names.map((name) => noted(leases, name, [])));
    await Promise.all(jobs.flat().map((job) => job.start()));
    const held = () => jobs.map((own) => own.filter(({ work }) => work !== null).length);
    await until('all are held', () => held().reduce((sum, count) => sum + count) === names.length);
    assert.ok(
      held().every((count) => count > 0),
      held().join(' and '),
    );
    for (const job of jobs.flat()) await job[Symbol.asyncDispose]();
  },
);

test('work that cannot begin is tried again, and others may have it', options, async () => {
  await using store = await open();
  let tries = 0;
  await using job = store.leases.job(newJob(), async () => {
    tries += 1;
    if (tries < 3) throw new Error('not yet');
    return { onHint: () => {}, stop: async () => {} };
  });
  await job.start();
  await until('it has begun', () => job.work !== null);
  assert.equal(tries, 3);
});
