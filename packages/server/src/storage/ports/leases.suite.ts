import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { Job, JobWork, Leases, Term } from './leases.ts';
import type { WriteAtomically } from './transactions.ts';

export interface LeasesUnderTest extends AsyncDisposable {
  readonly leases: Leases;
  readonly db: Database;
  readonly writeAtomically: WriteAtomically;
}

export interface NotedWork extends JobWork {
  readonly term: Term;
}

let jobs = 0;

export function newJob(): string {
  jobs += 1;
  return `job-${jobs}`;
}

/** Creates a job that records its starts, hints and stops in `notes`. */
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

    test('work starts when its job starts, and stops when its job is disposed of', async () => {
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

    test('a process lists the jobs that it holds', async () => {
      const [name, other] = [newJob(), newJob()];
      await using job = noted(opened.leases, name, []);
      await job.start();
      await using _ = noted(opened.leases, other, []);
      const jobs = opened.leases.jobs();
      assert.deepEqual([jobs.get(name), jobs.get(other)], [true, undefined]);
    });

    test('`isAnyHeld` returns true while a job is held', async () => {
      await using job = noted(opened.leases, newJob(), []);
      await job.start();
      assert.equal(await opened.leases.isAnyHeld(), true);
    });

    test('a job that was never started can be disposed of', async () => {
      await noted(opened.leases, newJob(), [])[Symbol.asyncDispose]();
    });

    test('a released job can be acquired again', async () => {
      const [name, notes]: [string, string[]] = [newJob(), []];
      for (let turn = 0; turn < 3; turn += 1) {
        await using job = noted(opened.leases, name, notes);
        await job.start();
      }
      assert.deepEqual(notes, ['begun', 'ended', 'begun', 'ended', 'begun', 'ended']);
    });

    test('the holder of a job can write with its fence', async () => {
      await using job = noted(opened.leases, newJob(), []);
      await job.start();
      const { term } = job.work ?? assert.fail('the job is not held');
      const space = { id: newJob(), name: 'a', created_at: 1 };
      const insert = opened.db.insertInto('spaces').values(space);
      await opened.writeAtomically([...term.fence, insert]);
      const find = opened.db.selectFrom('spaces').select('id').where('id', '=', space.id);
      assert.equal((await find.execute()).length, 1);
    });
  });
}
