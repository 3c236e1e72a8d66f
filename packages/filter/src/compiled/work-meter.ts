/** Number of code units that are compared between two checks of the time. Comparing them takes about 0.1 ms. */
const CHECK_INTERVAL = 100_000;

/** Counts compared code units, so that long comparisons check the time regularly and short comparisons rarely. */
export class WorkMeter {
  readonly #checkTime: () => void;
  #work = 0;

  /** @param checkTime throws to stop an evaluation that takes too long. */
  constructor(checkTime: () => void) {
    this.#checkTime = checkTime;
  }

  /** @param work number of code units that the next comparison reads. */
  add(work: number): void {
    this.#work += work;
    if (this.#work < CHECK_INTERVAL) return;
    this.#work = 0;
    this.#checkTime();
  }
}
