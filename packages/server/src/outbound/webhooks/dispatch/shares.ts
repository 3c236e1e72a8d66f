/** Attempts of all subscriptions that may be under way. */
const AT_ONCE = 1024;
/** … of one subscription. */
const AT_ONCE_EACH = 64;
/** One may have this part of what is free, so that many slow targets leave room for the others. */
const PART = 1 / 8;
/**
 * Attempts that begin in one turn of the event loop. While there is nothing else to do, turns are short and many;
 * while requests are served, each turn brings some of these and then some of those, and deliveries take no more
 * than about a tenth of the time.
 */
const IN_A_TURN = 32;
/** Texts of events in memory. */
const BYTES = 64 * 1024 * 1024;

/** What all subscriptions have together. Each may always have one attempt under way and one event in memory. */
export class Shares {
  bytes = 0;
  #inFlight = 0;
  #leftInTurn = IN_A_TURN;
  #turnEnds = false;
  /** Who goes on in the next turn, in the order in which they were stopped. */
  #stopped = new Set<() => void>();

  get isFull(): boolean {
    return this.bytes >= BYTES;
  }

  /** How many attempts one subscription may have under way now. */
  atOnce(): number {
    const part = Math.floor((AT_ONCE - this.#inFlight) * PART);
    return Math.max(1, Math.min(AT_ONCE_EACH, part));
  }

  /** Whether an attempt may begin in this turn of the event loop; if not, `resume` is called in the next. */
  mayBegin(resume: () => void): boolean {
    if (this.#leftInTurn > 0) return true;
    this.#stopped.add(resume);
    return false;
  }

  begun(): void {
    this.#inFlight += 1;
    this.#leftInTurn -= 1;
    if (this.#turnEnds) return;
    this.#turnEnds = true;
    setImmediate(() => this.#nextTurn());
  }

  ended(): void {
    this.#inFlight -= 1;
  }

  #nextTurn(): void {
    this.#turnEnds = false;
    this.#leftInTurn = IN_A_TURN;
    const stopped = this.#stopped;
    this.#stopped = new Set();
    for (const resume of stopped) resume();
  }
}
