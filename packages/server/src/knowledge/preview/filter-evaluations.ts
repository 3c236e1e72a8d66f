import {
  type EvaluationSteps,
  evaluateInSteps,
  type Filter,
  type FilterRecord,
} from '@gatehouse/filter';
import type { Clock, ThreadScheduler } from '../../lib/scheduling/index.ts';
import { StorageTooSlow } from '../../lib/threads/index.ts';

/** Maximum time in milliseconds that the work of one request may take. */
const TIME_LIMIT_MS = 2000;
/** Time in milliseconds after which an evaluation lets the event loop handle other events. */
const SLICE_MS = 2;

export interface FilterEvaluationsOptions {
  readonly scheduler: ThreadScheduler;
  readonly spaceId: string;
  /** The work stops when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. Default: `performance.now`. */
  readonly clock?: Clock | undefined;
}

/**
 * The evaluations of filters for one request. They run in short slices of the event loop, because evaluating large filters on large
 * metadata can take minutes. All methods throw `StorageTooSlow` if the slices take longer than two seconds together, and the signal's
 * reason if it aborts.
 */
export class FilterEvaluations {
  readonly #scheduler: ThreadScheduler;
  readonly #spaceId: string;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  #usedMs = 0;

  constructor({ scheduler, spaceId, signal, clock }: FilterEvaluationsOptions) {
    this.#scheduler = scheduler;
    this.#spaceId = spaceId;
    this.#signal = signal;
    this.#clock = clock ?? (() => performance.now());
  }

  /** Runs synchronous work, which must be short, and counts its time. */
  run<Result>(work: () => Result): Promise<Result> {
    return this.#scheduler.run(this.#spaceId, () => {
      this.#signal?.throwIfAborted();
      if (this.#usedMs > TIME_LIMIT_MS) throw new StorageTooSlow();
      const start = this.#clock();
      try {
        return work();
      } finally {
        this.#usedMs += this.#clock() - start;
      }
    });
  }

  /** Reports whether a record satisfies a filter. */
  async accepts(filter: Filter, record: FilterRecord): Promise<boolean> {
    const steps = evaluateInSteps(filter, record);
    for (;;) {
      const accepted = await this.run(() => this.#advance(steps));
      if (accepted !== null) return accepted;
    }
  }

  /** Returns `null` if the slice ended before the result was known. */
  #advance(steps: EvaluationSteps): boolean | null {
    const end = this.#clock() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (this.#clock() < end);
    return null;
  }
}
