import type { Job, JobWork, Term } from '../../ports/leases.ts';
import { fenceOf, type Held, LEASE_MS } from './lease-table.ts';

/** A holder that cannot renew stops so long before others may take the job. */
const MARGIN_MS = 1000;
/** After work that could not begin. */
const AGAIN_AFTER_MS = 1000;

export interface HeldJobDeps<Work extends JobWork> {
  readonly begin: (term: Term) => Promise<Work>;
  /** Asks for the job from now on. Resolves when it was asked for once. */
  readonly onStart: () => Promise<void>;
  readonly onNotify: (hint: string) => void;
  /** Lets others have it. */
  readonly giveBack: (held: Held) => Promise<void>;
  /** It is not asked for any more. */
  readonly onDisposed: () => void;
  readonly onError: (error: unknown) => void;
  /** Milliseconds, of a clock that only goes forward. */
  readonly now: () => number;
}

interface Tenure<Work> {
  readonly held: Held;
  readonly lost: AbortController;
  /** By this process's clock. */
  until: number;
  timer: NodeJS.Timeout | undefined;
  /** Null until it has begun. */
  work: Work | null;
  /** Null until it is to end. */
  ended: Promise<void> | null;
}

/**
 * A job at this process.
 *
 * - idle: not held. `gained` → held
 * - held: its work begins, is done and, when it is disposed of, ends. `renewed` → held. Not renewed in time, or taken by another → lost.
 *   Its work could not begin → lost. Ended → given back, for good.
 * - lost: its work has to stop. When it has → idle
 */
export class HeldJob<Work extends JobWork> implements Job<Work> {
  readonly name: string;
  readonly #deps: HeldJobDeps<Work>;
  #tenure: Tenure<Work> | null = null;
  /** Work that begins, or has to stop, or was disposed of. */
  #busy: Promise<void> | null = null;
  #disposed = false;
  #notBefore = 0;
  /** Since when nobody holds it, as far as is known. */
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
    return this.#tenure?.work ?? null;
  }

  /** What is to be renewed. */
  get held(): Held | null {
    return this.#tenure?.held ?? null;
  }

  get isWanted(): boolean {
    const { now } = this.#deps;
    return (
      !this.#disposed && this.#tenure === null && this.#busy === null && now() >= this.#notBefore
    );
  }

  readonly notify = (hint: string): void => {
    if (this.work === null) this.#deps.onNotify(hint);
    else this.work.onHint(hint);
  };

  /**
   * @param asked when it was asked for, by this process's clock.
   */
  async gained(held: Held, asked: number): Promise<void> {
    this.freeSince = null;
    const tenure: Tenure<Work> = {
      held,
      lost: new AbortController(),
      until: 0,
      timer: undefined,
      work: null,
      ended: null,
    };
    this.#tenure = tenure;
    this.renewed(asked);
    await this.#while(this.#begin(tenure));
  }

  /** @param asked as in `gained`. */
  renewed(asked: number): void {
    const tenure = this.#tenure;
    if (tenure === null) return;
    tenure.until = asked + LEASE_MS - MARGIN_MS;
    clearTimeout(tenure.timer);
    const left = tenure.until - this.#deps.now();
    tenure.timer = setTimeout(() => this.lose(tenure.held), Math.max(0, left));
  }

  /** Another process has it, or may have it soon. */
  lose(held: Held): void {
    const tenure = this.#tenure;
    if (tenure === null || tenure.held !== held) return;
    this.#leave(tenure);
    void this.#end(tenure);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const tenure = this.#tenure;
    // At once: what the work waits for may be ended behind it.
    if (tenure !== null) await this.#end(tenure);
    while (this.#busy !== null) await this.#busy;
    this.#deps.onDisposed();
    if (this.#tenure === null) return;
    const { held } = this.#tenure;
    this.#leave(this.#tenure);
    // Whoever cannot be told finds out.
    await this.#deps.giveBack(held).catch(() => {});
  }

  async #begin(tenure: Tenure<Work>): Promise<void> {
    const { begin, now, giveBack, onError } = this.#deps;
    const term: Term = {
      signal: tenure.lost.signal,
      isHeld: () => !tenure.lost.signal.aborted && now() < tenure.until,
      fence: [fenceOf(tenure.held)],
    };
    try {
      const work = await begin(term);
      if (this.#tenure !== tenure || this.#disposed) await work.stop();
      else tenure.work = work;
    } catch (error) {
      onError(error);
      this.#notBefore = now() + AGAIN_AFTER_MS;
      if (this.#tenure !== tenure) return;
      this.#leave(tenure);
      await giveBack(tenure.held).catch(() => {});
    }
  }

  #leave(tenure: Tenure<Work>): void {
    clearTimeout(tenure.timer);
    this.#tenure = null;
    tenure.lost.abort();
  }

  async #end(tenure: Tenure<Work>): Promise<void> {
    if (tenure.work === null) return;
    tenure.ended ??= tenure.work.stop();
    await this.#while(tenure.ended);
  }

  /** Nothing else of the job is done meanwhile. */
  async #while(work: Promise<void>): Promise<void> {
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
