/** Maximum number of attempts in flight for all subscriptions. */
const MAX_IN_FLIGHT = 1024;
const MAX_IN_FLIGHT_PER_SUBSCRIPTION = 64;
/**
 * Maximum fraction of the free capacity that one subscription may use. This limit prevents slow targets from using all
 * capacity.
 */
const SHARE = 1 / 8;
/**
 * Maximum number of attempts started per iteration of the event loop. The limit lets a busy process alternate between
 * requests and attempts. Deliveries then use about a tenth of the CPU time.
 */
const STARTS_PER_ITERATION = 32;
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Limits for all subscriptions. A subscription may always have one attempt in flight and one event in memory. */
export class SharedCapacity {
  textBytes = 0;
  #inFlight = 0;
  #startsLeft = STARTS_PER_ITERATION;
  #iterationEnds = false;
  /** Callbacks for the next iteration, in insertion order. */
  #deferred = new Set<() => void>();

  get isMemoryFull(): boolean {
    return this.textBytes >= MAX_TEXT_BYTES;
  }

  maxInFlight(): number {
    const share = Math.floor((MAX_IN_FLIGHT - this.#inFlight) * SHARE);
    return Math.max(1, Math.min(MAX_IN_FLIGHT_PER_SUBSCRIPTION, share));
  }

  /** Reports whether an attempt may start in this iteration of the event loop. If not, calls `resume` in the next iteration. */
  mayStart(resume: () => void): boolean {
    if (this.#startsLeft > 0) return true;
    this.#deferred.add(resume);
    return false;
  }

  onStart(): void {
    this.#inFlight += 1;
    this.#startsLeft -= 1;
    if (this.#iterationEnds) return;
    this.#iterationEnds = true;
    setImmediate(() => this.#nextIteration());
  }

  onEnd(): void {
    this.#inFlight -= 1;
  }

  #nextIteration(): void {
    this.#iterationEnds = false;
    this.#startsLeft = STARTS_PER_ITERATION;
    const deferred = this.#deferred;
    this.#deferred = new Set();
    for (const resume of deferred) resume();
  }
}
