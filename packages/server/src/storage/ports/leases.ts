import type { Write } from './transactions.ts';

/** A period during which this process holds a job. */
export interface Term {
  /** Aborts when the lease is lost. Another process may acquire the job from then on. */
  readonly signal: AbortSignal;
  /**
   * Reports whether the lease is valid, by this process's monotonic clock. Check it before each operation: after a
   * suspension of the process, it returns `false` before the signal aborts.
   */
  isHeld(): boolean;
  /**
   * Writes that must precede all other writes of a transaction. If another process has acquired the job, they throw
   * `LeaseLost` and the transaction stores nothing. Empty if no other process can exist.
   *
   * @example
   * await writeAtomically([...term.fence, db.insertInto('event_cursors').values(cursor)]);
   */
  readonly fence: readonly Write[];
}

/** Another process has acquired the job. The transaction stored nothing. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('another process holds the lease of this job');
  }
}

export interface JobWork {
  /**
   * Checks for new work. Called with the text of each `Job.notify`. Notifications can be lost. Therefore, if other
   * processes can exist, it is also called every second with an empty hint.
   */
  onHint(hint: string): void;
  /**
   * Stops the work and resolves when nothing is in flight. May save progress only while the lease is held.
   */
  stop(): Promise<void>;
}

/** A job of this process. Disposal stops the work and releases the lease. Dispose of jobs before the store. */
export interface Job<Work extends JobWork> extends AsyncDisposable {
  /**
   * Starts competing for the lease. The work runs whenever this process holds the lease. Resolves when the work has
   * started or another process holds the job. Rejects if the work fails to start and no other process can exist.
   */
  start(): Promise<void>;
  readonly work: Work | null;
  /** Sends a hint to the holder of the job, in this process or another. The hint may be lost. */
  notify(hint: string): void;
}

/**
 * Assigns background jobs to processes. At most one process per store holds a job at any time. A job has three states:
 *
 * - free: the first process that requests the lease acquires it. Processes that already hold jobs wait before they request it.
 * - held: the holder renews the lease. A release makes the job free.
 * - expired: the holder died or lost contact, and its last renewal was a few seconds ago. A holder that still runs has
 *   stopped its work by then. The job becomes free.
 *
 * @example
 * const job = leases.job('retention', async (term) => {
 *   const timer = setInterval(() => term.isHeld() && removeOldEvents(), 60_000);
 *   return { onHint: () => {}, stop: async () => clearInterval(timer) };
 * });
 * await job.start();
 */
export interface Leases {
  /** @param begin starts the work of a new term. Called only after the work of the previous term has stopped. */
  job<Work extends JobWork>(name: string, begin: (term: Term) => Promise<Work>): Job<Work>;
  /** Returns the jobs started by this process. The value is true if this process holds the job. */
  jobs(): ReadonlyMap<string, boolean>;
  /** Reports whether any process holds any job. A process that died may count for a few seconds. */
  isAnyHeld(): Promise<boolean>;
}
