import { setTimeout as sleep } from 'node:timers/promises';

export interface FairSchedulerOptions {
  /** How many steps may be under way at once, each of another key. */
  readonly atOnce: number;
  /** Does a piece of what is to be done for a key; gives whether there may be more. */
  readonly step: (key: string, signal: AbortSignal) => Promise<boolean>;
  /** Hears why a step failed the n-th time in a row, and gives the milliseconds to wait before the next one. */
  readonly onFailure: (error: unknown, key: string, failures: number) => number;
}

/**
 * Background work for many keys, such as spaces: never two steps of one key at once, no more than
 * `atOnce` in all, and whoever has had a step goes behind those who wait. What is to be done stands in
 * the store; waking a key only tells to look there. A key whose step failed pauses, and nobody else does.
 */
export class FairScheduler {
  readonly #options: FairSchedulerOptions;
  readonly #closing = new AbortController();
  /** In the order in which they have their turn. */
  readonly #waiting = new Set<string>();
  /** Keys with a step under way, and whether they were woken since it began. */
  readonly #working = new Map<string, boolean>();
  /** Keys that wait for the end of a pause: waking them changes nothing. */
  readonly #pausing = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: FairSchedulerOptions) {
    this.#options = options;
  }

  /** There may be something to do for this key. */
  wake(key: string): void {
    if (this.#closing.signal.aborted || this.#pausing.has(key)) return;
    if (this.#working.has(key)) this.#working.set(key, true);
    else this.#waiting.add(key);
    this.#fill();
  }

  /** Resolves when no step is under way any more, and none will be. Steps hear of it by their signal. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  #fill(): void {
    while (this.#working.size < this.#options.atOnce && !this.#closing.signal.aborted) {
      const [key] = this.#waiting;
      if (key === undefined) return;
      this.#waiting.delete(key);
      this.#working.set(key, false);
      const turn = this.#takeTurn(key).finally(() => this.#running.delete(turn));
      this.#running.add(turn);
    }
  }

  async #takeTurn(key: string): Promise<void> {
    const { signal } = this.#closing;
    let more = false;
    let pause = 0;
    try {
      more = await this.#options.step(key, signal);
      this.#failures.delete(key);
    } catch (error) {
      if (!signal.aborted) pause = this.#paused(key, error);
    }
    more ||= this.#working.get(key) === true;
    this.#working.delete(key);
    if (signal.aborted) return;
    if (pause > 0) this.#resumeIn(key, pause);
    else if (more) this.#waiting.add(key);
    this.#fill();
  }

  #paused(key: string, error: unknown): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    return Math.max(1, this.#options.onFailure(error, key, failures));
  }

  #resumeIn(key: string, milliseconds: number): void {
    const { signal } = this.#closing;
    this.#pausing.add(key);
    const pause = sleep(milliseconds, null, { signal, ref: false })
      .then(() => {
        this.#pausing.delete(key);
        this.wake(key);
      })
      .catch(() => {})
      .finally(() => this.#running.delete(pause));
    this.#running.add(pause);
  }
}
