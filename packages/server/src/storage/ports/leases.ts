import type { Write } from './write-together.ts';

/** The time for which this process holds a job. */
export interface Term {
  /** Aborts when the job is lost: another process may have it from a moment later on. */
  readonly signal: AbortSignal;
  /**
   * Whether the job is still held, by a clock of this process that only goes forward. To be asked before anything is
   * begun: a process that was paused finds out by this before the signal has been heard.
   */
  isHeld(): boolean;
  /**
   * What to write first, in the same transaction, so that nothing of it is kept once another process has
   * taken the job: it throws `LeaseLost`. Empty where no other process can.
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

/** What is done while a job is held. */
export interface JobWork {
  /**
   * Something may have been left to do by another process. Called where there may be other processes: soon after one of
   * them says so (`hint`: where to look, '' for everywhere), and every second without a hint, since hints can be missed.
   */
  look(hint: string): void;
  /**
   * Ends the work. While the job is held it may put in order what is under way; once it is lost, all that is
   * left is to stop. Nothing of it may be under way when it resolves.
   */
  end(): Promise<void>;
}

/** A job that this process would have, or has. To be disposed of before the store: that ends the work and gives the job back. */
export interface Job<Work extends JobWork> extends AsyncDisposable {
  /**
   * From now on the work is done whenever this process holds the job. Resolves when it has begun, or when
   * another process holds the job. Where no other can, it throws what the beginning of the work throws.
   */
  start(): Promise<void>;
  /** Null while another process holds it, or nobody does. */
  readonly work: Work | null;
  /** Lets whoever holds the job look, this process or another. It may be missed. */
  tell(hint: string): void;
}

/**
 * Who does what: of all processes on one store, one at a time holds a job and does its work.
 *
 * - free: nobody holds it. Whoever asks first → held. A process that holds several lets others ask before it.
 * - held: renewed all the time. Its holder gives it back → free. Its holder dies, is cut off or is paused → over.
 * - over: a few seconds after the last renewal; before that the holder has stopped, if it can. → free
 */
export interface Leases {
  /** @param begin begins the work of a new term; never called while the work of one before has not ended. */
  job<Work extends JobWork>(name: string, begin: (term: Term) => Promise<Work>): Job<Work>;
  /** The jobs that were started here, and whether this process holds them. */
  jobs(): ReadonlyMap<string, boolean>;
  /** Whether any process holds a job; one that was killed a few seconds ago seems to. */
  isAnyHeld(): Promise<boolean>;
}
