/** Attempts of all subscriptions that may be under way. */
const AT_ONCE = 1024;
/** … of one subscription. */
const AT_ONCE_EACH = 64;
/** One may have this part of what is free, so that many slow targets leave room for the others. */
const PART = 1 / 8;
/** Texts of events in memory. */
const BYTES = 64 * 1024 * 1024;

/** What all subscriptions have together. Each may always have one attempt under way and one event in memory. */
export class Shares {
  inFlight = 0;
  bytes = 0;

  /** How many attempts one subscription may have under way now. */
  atOnce(): number {
    const part = Math.floor((AT_ONCE - this.inFlight) * PART);
    return Math.max(1, Math.min(AT_ONCE_EACH, part));
  }

  get isFull(): boolean {
    return this.bytes >= BYTES;
  }
}
