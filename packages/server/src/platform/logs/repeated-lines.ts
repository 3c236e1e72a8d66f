const WRITE_AGAIN_AFTER_MS = 60_000;
const MAX_REMEMBERED = 500;
const WARN = 40;

interface Written {
  at: number;
  omitted: number;
}

/**
 * Limits repeated warnings and errors that contain an error (`err`), so that work that fails and is retried does not fill the disk with the
 * log. A line with the same message, error and other members as a line of the last minute is omitted. The next written line states the
 * number of omitted lines. Lines with a request ID are never omitted, nor are lines without an error, which report a change, such as the
 * start of an outage.
 *
 * @param now monotonic time in milliseconds.
 */
export class RepeatedLines {
  readonly #now: () => number;
  readonly #written = new Map<string, Written>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the number of omitted lines since the last equal line, or `null` if this line must be omitted. */
  admit(level: number, members: object, message: string): number | null {
    if (level < WARN || 'requestId' in members || !('err' in members)) return 0;
    const key = JSON.stringify([message, members], textOfError);
    const now = this.#now();
    const last = this.#written.get(key);
    if (last !== undefined && now - last.at < WRITE_AGAIN_AFTER_MS) {
      last.omitted += 1;
      return null;
    }
    this.#written.delete(key);
    this.#written.set(key, { at: now, omitted: 0 });
    this.#forgetOldest();
    return last?.omitted ?? 0;
  }

  #forgetOldest(): void {
    const [oldest] = this.#written.keys();
    if (this.#written.size > MAX_REMEMBERED && oldest !== undefined) this.#written.delete(oldest);
  }
}

/** Represents an error by its text and its cause, because stacks of equal errors can differ. */
function textOfError(_name: string, value: unknown): unknown {
  return value instanceof Error ? `${value} ${value.cause}` : value;
}
