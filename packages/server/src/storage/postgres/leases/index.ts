import { Mutex } from 'async-mutex';
import type { JobWork, Leases, Term } from '../../ports/leases.ts';
import type { Hints } from '../../ports/store.ts';
import type { Pool } from '../pool.ts';
import { HeldJob } from './held-job.ts';
import { createLeaseTable, type Held, isAnyHeld } from './lease-table.ts';

const RENEW_EVERY_MS = 1000;
/** For each job that a process holds it leaves others so much time to take the next. */
const PATIENCE_MS = 100;
const MOST_PATIENCE_MS = 500;
/** The topic of hints that a job was given back. */
const GIVEN_BACK = 'job given back';

export interface LeasesOptions {
  /** For the leases alone, so that they are renewed however busy the store is. */
  readonly pool: Pool;
  readonly hints: Hints;
  /** Of this run of the process; no other has it. */
  readonly holder: string;
  /** Hears that the database could not be asked, once until it can be again, and of work that could not begin or end. */
  readonly onError: (error: unknown) => void;
}

/**
 * Roles that are held in the database, by its clock. One round a second renews all that this process holds, asks
 * for what nobody holds, and lets its work look for what others have left to do. To be disposed of after all jobs.
 */
export function createLeases({
  pool,
  hints,
  holder,
  onError,
}: LeasesOptions): Leases & AsyncDisposable {
  const table = createLeaseTable(pool, holder);
  const now = () => performance.now();
  const jobs = new Set<HeldJob<JobWork>>();
  let timer: NodeJS.Timeout | undefined;
  const rounds = new Mutex();
  let closed = false;
  let isFailing = false;

  async function renew(): Promise<void> {
    const held = [...jobs].flatMap((job) => (job.held === null ? [] : [{ job, held: job.held }]));
    if (held.length === 0) return;
    const asked = now();
    const renewed = await table.renew(held.map((one) => one.held));
    for (const { job, held: lease } of held) {
      if (!renewed.has(job.name)) job.lose(lease);
      else if (job.held === lease) job.renewed(asked);
    }
  }

  async function askForMore(): Promise<void> {
    const wanted = [...jobs].filter((job) => job.isWanted);
    if (wanted.length === 0) return;
    const free = new Set(await table.free(wanted.map(({ name }) => name)));
    for (const job of wanted) {
      job.freeSince = free.has(job.name) ? (job.freeSince ?? now()) : null;
      if (!job.isWanted || job.freeSince === null) continue;
      if (now() - job.freeSince >= patience()) await take(job);
    }
  }

  async function take(job: HeldJob<JobWork>): Promise<void> {
    const asked = now();
    const held: Held | null = await table.take(job.name);
    // Its work begins beside the next rounds, which renew it.
    if (held !== null) void job.gained(held, asked);
  }

  function patience(): number {
    const held = [...jobs].filter((job) => job.held !== null).length;
    return Math.min(MOST_PATIENCE_MS, held * PATIENCE_MS);
  }

  async function goRound(): Promise<void> {
    try {
      await renew();
      await askForMore();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
    for (const job of jobs) job.work?.onHint('');
  }

  /** Runs a round now, or after the current one, and schedules the next. */
  async function nextRound(): Promise<void> {
    clearTimeout(timer);
    if (closed) return;
    await rounds.runExclusive(goRound);
    if (closed || rounds.isLocked()) return;
    const isPatient = [...jobs].some((job) => job.isWanted && job.freeSince !== null);
    clearTimeout(timer);
    timer = setTimeout(nextRound, isPatient ? PATIENCE_MS : RENEW_EVERY_MS);
  }

  hints.subscribe(GIVEN_BACK, (name) => {
    if ([...jobs].some((job) => job.name === name && job.isWanted)) void nextRound();
  });

  return {
    job: <Work extends JobWork>(name: string, begin: (term: Term) => Promise<Work>) => {
      const job = new HeldJob<Work>(name, {
        begin,
        onStart: () => {
          jobs.add(job);
          return nextRound();
        },
        onNotify: (hint) => hints.publish(topicOf(name), hint),
        giveBack: async (held) => {
          await table.giveBack(held);
          hints.publish(GIVEN_BACK, name);
        },
        onDisposed: () => jobs.delete(job),
        onError,
        now,
      });
      hints.subscribe(topicOf(name), (hint) => job.work?.onHint(hint));
      return job;
    },
    isAnyHeld: () => isAnyHeld(pool),
    jobs: () => new Map([...jobs].map(({ name, held }) => [name, held !== null])),
    [Symbol.asyncDispose]: async () => {
      closed = true;
      clearTimeout(timer);
      await rounds.waitForUnlock();
    },
  };
}

/** Of hints to whoever holds a job. */
function topicOf(job: string): string {
  return `job ${job}`;
}
