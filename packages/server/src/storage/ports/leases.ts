import type { Write } from './transactions.ts';

/** The time during which this process holds a job. */
export interface Term {
  /** Aborts when the lease is lost; another process may take the job from then on. */
  readonly signal: AbortSignal;
  /**
   * Returns whether the lease is still valid by this process's monotonic clock. Check it before each operation: a
   * process that was suspended learns of the loss here before the signal fires.
   */
  isHeld(): boolean;
  /**
   * Writes to put first into a transaction: they throw `LeaseLost` if another process has taken the job, so that
   * nothing is stored. Empty where no other process can exist.
   */
  readonly fence: readonly Write[];
}

/** Another process has taken the job; nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('another process has taken over this work');
  }
}

/** The work of a job during one term. */
export interface JobWork {
  /**
   * There may be work that another process left. Called after a notification (`hint` says where to look) and, since
   * notifications can be lost, every second with an empty hint where other processes can exist.
   */
  onHint(hint: string): void;
  /**
   * Stops the work and resolves when none of it is in flight. While the lease is held it may still save its
   * progress; after the lease is lost it must only stop.
   */
  stop(): Promise<void>;
}

/** A job of this process, held or waiting for its lease. Dispose of it before the store: that stops the work and releases the lease. */
export interface Job<Work extends JobWork> extends AsyncDisposable {
  /**
   * Starts competing for the lease; the work runs whenever this process holds it. Resolves when the work has started
   * or another process holds the job. Where no other process can exist, rejects if the work fails to start.
   */
  start(): Promise<void>;
  /** Null while this process does not hold the job. */
  readonly work: Work | null;
  /** Sends a hint to the holder of the job, in this process or another. It may be lost. */
  notify(hint: string): void;
}

/**
 * Assigns jobs to processes: at any time at most one process on a store holds a job and does its work.
 *
 * - free: the first process that asks acquires it → held. A process that holds several jobs lets others ask first.
 * - held: the holder renews the lease. It releases the lease → free. It dies, is cut off or is suspended → expired.
 * - expired: a few seconds after the last renewal; the holder has stopped its work before that, if it can run. → free
 */
export interface Leases {
  /** @param begin starts the work of a new term; never called before the work of the previous term has stopped. */
  job<Work extends JobWork>(name: string, begin: (term: Term) => Promise<Work>): Job<Work>;
  /** Returns the jobs that were started here, and whether this process holds them. */
  jobs(): ReadonlyMap<string, boolean>;
  /** Returns whether any process holds a job, including one that died a few seconds ago. */
  isAnyHeld(): Promise<boolean>;
}
