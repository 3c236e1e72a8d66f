/** Event loop utilization, from 0 to 1, above which pauses grow. */
const BUSY = 0.85;
/** Event loop utilization below which pauses shrink. */
const IDLE = 0.6;
const SAMPLE_INTERVAL_MS = 250;
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 400;

/** Returns the event loop utilization, from 0 to 1, since the previous call. */
export type Utilization = () => number;

/**
 * Determines the pause between two reads of an answer. There is no pause unless the event loop is busy. During a pause
 * data accumulates, and reading the data in one piece costs little more than reading a small piece. Without pauses, a
 * thousand answers would use all the CPU time and delay new requests, because Node accepts one connection per iteration
 * of the event loop.
 */
export class Pace {
  readonly #utilization: Utilization;
  readonly #now: () => number;
  #pauseMs = 0;
  #sampledAt: number;

  /** @param now returns the time in milliseconds. */
  constructor(utilization: Utilization = loopUtilization(), now = () => performance.now()) {
    this.#utilization = utilization;
    this.#now = now;
    this.#sampledAt = now();
  }

  get pauseMs(): number {
    if (this.#now() - this.#sampledAt >= SAMPLE_INTERVAL_MS) this.#sample();
    return this.#pauseMs;
  }

  #sample(): void {
    this.#sampledAt = this.#now();
    const utilization = this.#utilization();
    if (utilization > BUSY)
      this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, this.#pauseMs * 2));
    else if (utilization < IDLE)
      this.#pauseMs = this.#pauseMs <= MIN_PAUSE_MS ? 0 : this.#pauseMs / 2;
  }
}

function loopUtilization(): Utilization {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
