import type { Clock } from '../scheduling/index.ts';

/** Maximum duration of a step in milliseconds. */
const MAX_STEP_MS = 25;
/** Duration in milliseconds after which a step ends if requests of other callers are waiting. */
const MIN_STEP_MS = 2;

/** Shared with a thread: 1 if requests of other callers are waiting, otherwise 0. */
export type Contention = Int32Array<SharedArrayBuffer>;

/**
 * The time of a thread for one step of a read. Long work checks `isOver` regularly, stores its progress in the thread and
 * returns `null`. The next step follows when the scheduler selects the caller again.
 *
 * @example
 * serveRequests((request: Request, step) => {
 *   const work = unfinished.get(request.id) ?? begin(request);
 *   while (!work.isFinished) {
 *     if (step.isOver) return null;
 *     work.continue();
 *   }
 *   return work.result;
 * });
 */
export class Step {
  readonly #contention: Contention | null;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** True if the step did work for all callers of the space, such as loading the space. The caller is then not charged. */
  isShared = false;

  constructor(contention: Contention | null, clock: Clock = () => performance.now()) {
    this.#contention = contention;
    this.#clock = clock;
    this.#startedAt = clock();
  }

  get ms(): number {
    return this.#clock() - this.#startedAt;
  }

  /** True after 25 ms, or after 2 ms if requests of other callers are waiting. */
  get isOver(): boolean {
    const { ms } = this;
    if (ms < MIN_STEP_MS) return false;
    return (
      ms >= MAX_STEP_MS || (this.#contention !== null && Atomics.load(this.#contention, 0) === 1)
    );
  }
}
