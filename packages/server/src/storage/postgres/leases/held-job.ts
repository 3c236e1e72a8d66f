import type { Job, JobWork, Term } from '../../ports/leases.ts';
import { fenceOf, type Held, LEASE_MS } from './lease-table.ts';

/** Safety margin in milliseconds. A holder that cannot renew its lease stops its work this long before the lease expires. */
const MARGIN_MS = 1000;
const RETRY_START_AFTER_MS = 1000;

export interface HeldJobDeps<Work extends JobWork> {
  readonly startWork: (term: Term) => Promise<Work>;
  readonly onStart: () => Promise<void>;
  readonly onNotify: (hint: string) => void;
  readonly release: (held: Held) => Promise<void>;
  readonly onDisposed: () => void;
  readonly onError: (error: unknown) => void;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
}

interface RunningTerm<Work> {
  readonly held: Held;
  readonly lost: AbortController;
  /** Time at which the work must stop: the expiry of the lease minus the safety margin, on the clock of `HeldJobDeps.now`. */
  until: number;
  timer: NodeJS.Timeout | undefined;
  work: Work | null;
  /** Settles when the work has stopped. `null` until the work is asked to stop. */
  ended: Promise<void> | null;
}

/**
 * The state of a job in this process.
 *
 * - idle: this process does not hold the lease. `gained` → held.
 * - held: the work starts and runs. `renewed` → held. Renewal failed, another process acquired the lease, or the work failed to
 *   start → lost. Disposed → the work stops and the lease is released permanently.
 * - lost: the work must stop. Work stopped → idle.
 */
export class HeldJob<Work extends JobWork> implements Job<Work> {
  readonly name: string;
  readonly #deps: HeldJobDeps<Work>;
  #term: RunningTerm<Work> | null = null;
  /** Settles when the work has finished starting or stopping. */
  #busy: Promise<void> | null = null;
  #disposed = false;
  #notBefore = 0;
  /** Time at which the lease was first seen to be free. `null` if a process holds the lease. */
  freeSince: number | null = null;

  constructor(name: string, deps: HeldJobDeps<Work>) {
    this.name = name;
    this.#deps = deps;
  }

  readonly start = async (): Promise<void> => {
    await this.#deps.onStart();
    await this.#busy;
  };

  get work(): Work | null {
    return this.#term?.work ?? null;
  }

  get held(): Held | null {
    return this.#term?.held ?? null;
  }

  get isWanted(): boolean {
    const { now } = this.#deps;
    return (
      !this.#disposed && this.#term === null && this.#busy === null && now() >= this.#notBefore
    );
  }

  readonly notify = (hint: string): void => {
    if (this.work === null) this.#deps.onNotify(hint);
    else this.work.onHint(hint);
  };

  async gained(held: Held, requestedAt: number): Promise<void> {
    this.freeSince = null;
    const tenure: RunningTerm<Work> = {
      held,
      lost: new AbortController(),
      until: 0,
      timer: undefined,
      work: null,
      ended: null,
    };
    this.#term = tenure;
    this.#extend(tenure, requestedAt);
    await this.#track(this.#startWork(tenure));
  }

  /**
   * Extends the term, unless it has already ended. Work that has seen the end may have given up, so the same term must not continue.
   *
   * @param requestedAt time at which the renewal was requested.
   */
  renewed(requestedAt: number): void {
    const tenure = this.#term;
    if (tenure === null) return;
    if (this.#deps.now() < tenure.until) this.#extend(tenure, requestedAt);
    else this.lose(tenure.held);
  }

  #extend(tenure: RunningTerm<Work>, requestedAt: number): void {
    tenure.until = requestedAt + LEASE_MS - MARGIN_MS;
    clearTimeout(tenure.timer);
    const left = tenure.until - this.#deps.now();
    tenure.timer = setTimeout(() => this.lose(tenure.held), Math.max(0, left));
  }

  /** Stops the work, because another process holds the lease or may acquire the lease soon. */
  lose(held: Held): void {
    const tenure = this.#term;
    if (tenure === null || tenure.held !== held) return;
    this.#leave(tenure);
    void this.#end(tenure);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const tenure = this.#term;
    // Stops the work before waiting for `#busy`, because stopping may unblock the pending operation.
    if (tenure !== null) await this.#end(tenure);
    while (this.#busy !== null) await this.#busy;
    this.#deps.onDisposed();
    if (this.#term === null) return;
    const { held } = this.#term;
    this.#leave(this.#term);
    // Failures are ignored, because the lease expires without a release.
    await this.#deps.release(held).catch(() => {});
  }

  async #startWork(tenure: RunningTerm<Work>): Promise<void> {
    const { startWork, now, release, onError } = this.#deps;
    const term: Term = {
      signal: tenure.lost.signal,
      isHeld: () => !tenure.lost.signal.aborted && now() < tenure.until,
      fence: [fenceOf(tenure.held)],
    };
    try {
      const work = await startWork(term);
      if (this.#term !== tenure || this.#disposed) await work.stop();
      else tenure.work = work;
    } catch (error) {
      onError(error);
      this.#notBefore = now() + RETRY_START_AFTER_MS;
      if (this.#term !== tenure) return;
      this.#leave(tenure);
      await release(tenure.held).catch(() => {});
    }
  }

  #leave(tenure: RunningTerm<Work>): void {
    clearTimeout(tenure.timer);
    this.#term = null;
    tenure.lost.abort();
  }

  async #end(tenure: RunningTerm<Work>): Promise<void> {
    if (tenure.work === null) return;
    tenure.ended ??= tenure.work.stop();
    await this.#track(tenure.ended);
  }

  /** Tracks `work` as a pending operation of the job and reports a failure. */
  async #track(work: Promise<void>): Promise<void> {
    const before = this.#busy;
    const busy = Promise.all([before, work]).then(
      () => {},
      (error) => this.#deps.onError(error),
    );
    this.#busy = busy;
    await busy;
    if (this.#busy === busy) this.#busy = null;
  }
}
