/** Shares of time in which the event loop has something to do. */
const BUSY = 0.85;
const CALM = 0.6;
const LOOK_EVERY_MS = 250;
const SHORTEST_MS = 50;
const LONGEST_MS = 400;

/** How busy the event loop was, from 0 to 1, since it was last asked. */
export type Utilization = () => number;

/**
 * How long an answer that was just read waits before it is read again: not at all, unless the event loop has
 * too much to do. What comes meanwhile is then read at once, which costs little more than a piece alone. Else
 * a thousand answers would take all the time there is, and whoever asks anew would wait for them: Node accepts
 * one connection in each turn of the loop, however long that is.
 */
export class Pace {
  readonly #utilization: Utilization;
  readonly #now: () => number;
  #pauseMs = 0;
  #lookedAt: number;

  /** @param now milliseconds. */
  constructor(utilization: Utilization = loopUtilization(), now = () => performance.now()) {
    this.#utilization = utilization;
    this.#now = now;
    this.#lookedAt = now();
  }

  /** Milliseconds. */
  get pauseMs(): number {
    if (this.#now() - this.#lookedAt >= LOOK_EVERY_MS) this.#look();
    return this.#pauseMs;
  }

  #look(): void {
    this.#lookedAt = this.#now();
    const utilization = this.#utilization();
    if (utilization > BUSY)
      this.#pauseMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, this.#pauseMs * 2));
    else if (utilization < CALM)
      this.#pauseMs = this.#pauseMs <= SHORTEST_MS ? 0 : this.#pauseMs / 2;
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
