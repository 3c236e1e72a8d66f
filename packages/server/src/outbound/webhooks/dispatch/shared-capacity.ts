/** Attempts of all subscriptions in flight. */
const MAX_IN_FLIGHT = 1024;
const MAX_IN_FLIGHT_EACH = 64;
/** Share of the free attempts that one subscription may use, so that many slow targets leave capacity for others. */
const SHARE = 1 / 8;
/**
 * Attempts started in one turn of the event loop. An idle process has many short turns. A process that serves
 * requests alternates between those and attempts, so deliveries take about a tenth of its time at most.
 */
const STARTS_PER_TURN = 32;
/** Texts of events in memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Limits shared by all subscriptions. Each may always have one attempt in flight and one event in memory. */
export class SharedCapacity {
  textBytes = 0;
  #inFlight = 0;
  #startsLeft = STARTS_PER_TURN;
  #turnEnds = false;
  /** Callbacks for the next turn, in the order in which they were deferred. */
  #deferred = new Set<() => void>();

  get isMemoryFull(): boolean {
    return this.textBytes >= MAX_TEXT_BYTES;
  }

  /** Returns how many attempts one subscription may have in flight now. */
  maxInFlight(): number {
    const share = Math.floor((MAX_IN_FLIGHT - this.#inFlight) * SHARE);
    return Math.max(1, Math.min(MAX_IN_FLIGHT_EACH, share));
  }

  /** Reports whether an attempt may start in this turn of the event loop; otherwise calls `resume` in the next one. */
  mayStart(resume: () => void): boolean {
    if (this.#startsLeft > 0) return true;
    this.#deferred.add(resume);
    return false;
  }

  onStart(): void {
    this.#inFlight += 1;
    this.#startsLeft -= 1;
    if (this.#turnEnds) return;
    this.#turnEnds = true;
    setImmediate(() => this.#nextTurn());
  }

  onEnd(): void {
    this.#inFlight -= 1;
  }

  #nextTurn(): void {
    this.#turnEnds = false;
    this.#startsLeft = STARTS_PER_TURN;
    const deferred = this.#deferred;
    this.#deferred = new Set();
    for (const resume of deferred) resume();
  }
}
