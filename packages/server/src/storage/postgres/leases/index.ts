import { Mutex } from 'async-mutex';
import type { JobWork, Leases, Term } from '../../ports/leases.ts';
import type { Hints } from '../../ports/store.ts';
import type { Pool } from '../pool.ts';
import { HeldJob } from './held-job.ts';
import { createLeaseTable, type Held, isAnyHeld } from './lease-table.ts';

const RENEW_EVERY_MS = 1000;
/**
 * Before a process acquires a further job, it waits this many milliseconds for each job that it holds. The jobs are thus
 * distributed over the processes.
 */
const DELAY_PER_JOB_MS = 100;
const MAX_DELAY_MS = 500;
const JOB_RELEASED = 'job released';

export interface LeasesOptions {
  /** Pool that is used only for leases, so leases are renewed even if the store is busy. */
  readonly pool: Pool;
  readonly hints: Hints;
  /** Unique identifier of this process run. */
  readonly holder: string;
  /** Receives the first of several consecutive database failures, and failures to start or stop work. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates leases that are stored in the database and use its clock. Once per second, held leases are renewed, free leases are
 * acquired, and running work receives an empty hint. Dispose of the leases after all jobs.
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
    const requestedAt = now();
    const renewed = await table.renew(held.map((one) => one.held));
    for (const { job, held: lease } of held) {
      if (!renewed.has(job.name)) job.lose(lease);
      else if (job.held === lease) job.renewed(requestedAt);
    }
  }

  async function acquireFree(): Promise<void> {
    const candidates = [...jobs].filter((job) => job.isWanted);
    if (candidates.length === 0) return;
    const free = new Set(await table.free(candidates.map(({ name }) => name)));
    for (const job of candidates) {
      job.freeSince = free.has(job.name) ? (job.freeSince ?? now()) : null;
      if (!job.isWanted || job.freeSince === null) continue;
      if (now() - job.freeSince >= acquisitionDelay()) await acquire(job);
    }
  }

  async function acquire(job: HeldJob<JobWork>): Promise<void> {
    const requestedAt = now();
    const held: Held | null = await table.acquire(job.name);
    // Do not wait for the work to start, because the next rounds must renew the lease.
    if (held !== null) void job.gained(held, requestedAt);
  }

  function acquisitionDelay(): number {
    const held = [...jobs].filter((job) => job.held !== null).length;
    return Math.min(MAX_DELAY_MS, held * DELAY_PER_JOB_MS);
  }

  async function runRound(): Promise<void> {
    try {
      await renew();
      await acquireFree();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
    for (const job of jobs) job.work?.onHint('');
  }

  async function nextRound(): Promise<void> {
    clearTimeout(timer);
    if (closed) return;
    await rounds.runExclusive(runRound);
    if (closed || rounds.isLocked()) return;
    const isDelayed = [...jobs].some((job) => job.isWanted && job.freeSince !== null);
    clearTimeout(timer);
    timer = setTimeout(nextRound, isDelayed ? DELAY_PER_JOB_MS : RENEW_EVERY_MS);
  }

  hints.subscribe(JOB_RELEASED, (name) => {
    if ([...jobs].some((job) => job.name === name && job.isWanted)) void nextRound();
  });

  return {
    job: <Work extends JobWork>(name: string, startWork: (term: Term) => Promise<Work>) => {
      const job = new HeldJob<Work>(name, {
        startWork,
        onStart: () => {
          jobs.add(job);
          return nextRound();
        },
        onNotify: (hint) => hints.publish(topicOf(name), hint),
        release: async (held) => {
          await table.release(held);
          hints.publish(JOB_RELEASED, name);
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

function topicOf(job: string): string {
  return `job ${job}`;
}
