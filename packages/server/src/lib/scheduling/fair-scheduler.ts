import { setTimeout as sleep } from 'node:timers/promises';

export interface FairSchedulerOptions {
  readonly atOnce: number;
  /** Performs the next step for a key. Returns true if there may be more work. */
  readonly step: (key: string, signal: AbortSignal) => Promise<boolean>;
  /** Receives the error of a failed step and the number of consecutive failures. Returns the delay before the next step in milliseconds. */
  readonly onFailure: (error: unknown, key: string, failures: number) => number;
}

/**
 * Schedules background work of many keys, such as spaces. At most one step per key and `atOnce` steps in total run
 * concurrently; keys alternate. A key whose step failed pauses without delaying others. The work itself is recorded
 * elsewhere, such as in the database; `wake` is only a hint to look for work.
 */
export class FairScheduler {
  readonly #options: FairSchedulerOptions;
  readonly #closing = new AbortController();
  /** Keys with work to do, in the order in which they run. */
  readonly #waiting = new Set<string>();
  /** Keys with a running step. The value is true if the key was woken after the step started. */
  readonly #working = new Map<string, boolean>();
  /** Keys that pause after a failure. Waking them has no effect. */
  readonly #pausing = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: FairSchedulerOptions) {
    this.#options = options;
  }

  /** Schedules a step for a key, because there may be work. */
  wake(key: string): void {
    if (this.#closing.signal.aborted || this.#pausing.has(key)) return;
    if (this.#working.has(key)) this.#working.set(key, true);
    else this.#waiting.add(key);
    this.#fill();
  }

  /** Stops the scheduler and aborts the signal of running steps. Resolves when the running steps have ended. */
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
      const step = this.#runStep(key).finally(() => this.#running.delete(step));
      this.#running.add(step);
    }
  }

  async #runStep(key: string): Promise<void> {
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
