import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { Job, JobWork, Leases, Term } from './leases.ts';
import type { WriteTogether } from './transactions.ts';

/** A process's store, opened for the suite. */
export interface LeasesUnderTest extends AsyncDisposable {
  readonly leases: Leases;
  readonly db: Database;
  readonly writeTogether: WriteTogether;
}

/** Work that notes what becomes of it. */
export interface NotedWork extends JobWork {
  readonly term: Term;
}

let jobs = 0;

/** A job that nobody else has asked for. */
export function newJob(): string {
  jobs += 1;
  return `role-${jobs}`;
}

/** A job whose work notes when it begins, looks and ends. */
export function noted(leases: Leases, name: string, notes: string[]): Job<NotedWork> {
  return leases.job(name, async (term) => {
    notes.push('begun');
    return {
      term,
      onHint: (hint) => {
        if (hint !== '') notes.push(`looked at ${hint}`);
      },
      stop: async () => {
        await sleep(1);
        notes.push('ended');
      },
    };
  });
}

export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    assert.ok(tries < 3000, `waited in vain: ${what}`);
    await sleep(10);
  }
}

/** What every store's leases do, also where one process is all there is. */
export function leasesSuite(
  name: string,
  skip: string | false,
  open: () => Promise<LeasesUnderTest>,
): void {
  describe(`leases on ${name}`, { skip }, () => {
    let opened: LeasesUnderTest;
    before(async () => {
      opened = await open();
    });
    after(() => opened[Symbol.asyncDispose]());

    test('work begins when its job is started, and ends with it', async () => {
      const notes: string[] = [];
      const job = noted(opened.leases, newJob(), notes);
      job.notify('too early');
      assert.deepEqual(notes, []);
      await job.start();
      assert.deepEqual(notes, ['begun']);
      assert.ok(job.work?.term.isHeld());
      job.notify('here');
      assert.deepEqual(notes, ['begun', 'looked at here']);
      await job[Symbol.asyncDispose]();
      assert.deepEqual(notes, ['begun', 'looked at here', 'ended']);
    });

    test('which jobs it holds a process can say', async () => {
      const [name, other] = [newJob(), newJob()];
      await using job = noted(opened.leases, name, []);
      await job.start();
      await using _ = noted(opened.leases, other, []);
      const jobs = opened.leases.jobs();
      assert.deepEqual([jobs.get(name), jobs.get(other)], [true, undefined]);
    });

    test('whether anybody holds a job is known to whoever asks', async () => {
      await using job = noted(opened.leases, newJob(), []);
      await job.start();
      assert.equal(await opened.leases.isAnyHeld(), true);
    });

    test('a job that was never started is disposed of', async () => {
      await noted(opened.leases, newJob(), [])[Symbol.asyncDispose]();
    });

    test('a job that was given back is there to be taken again', async () => {
      const [name, notes]: [string, string[]] = [newJob(), []];
      for (let turn = 0; turn < 3; turn += 1) {
        await using job = noted(opened.leases, name, notes);
        await job.start();
      }
      assert.deepEqual(notes, ['begun', 'ended', 'begun', 'ended', 'begun', 'ended']);
    });

    test('who holds a job writes behind its fence', async () => {
      await using job = noted(opened.leases, newJob(), []);
      await job.start();
      const { term } = job.work ?? assert.fail('nobody holds it');
      const space = { id: newJob(), name: 'a', created_at: 1 };
      const insert = opened.db.insertInto('spaces').values(space);
      await opened.writeTogether([...term.fence, insert]);
      const find = opened.db.selectFrom('spaces').select('id').where('id', '=', space.id);
      assert.equal((await find.execute()).length, 1);
    });
  });
}
