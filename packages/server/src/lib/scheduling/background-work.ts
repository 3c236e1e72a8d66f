import { setTimeout as sleep } from 'node:timers/promises';

export interface BackgroundWorkOptions {
  /** Performs the next step. Returns false if there was no work. */
  readonly step: () => Promise<boolean>;
  /** Receives the error of a failed step. Returns the delay before the next step in milliseconds. */
  readonly onFailure: (error: unknown) => number;
}

/**
 * Runs the steps of a background task one after another. The work itself is recorded elsewhere, such as in the database;
 * `wake` is only a hint to look for work.
 *
 * - idle: `wake` → working.
 * - working: a step is running.
 *   The step did work → working.
 *   The step found no work → idle, or working if `wake` was called during the step.
 *   The step failed → pausing.
 * - pausing: after the delay → working. `wake` has no effect.
 * - closed: final; reached from any state by `close`, after the running step has ended.
 */
export class BackgroundWork {
  readonly #options: BackgroundWorkOptions;
  readonly #closing = new AbortController();
  /** The running loop; null while idle. */
  #working: Promise<void> | null = null;
  /** `true` if `wake` was called since the current step started. */
  #woken = false;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
  }

  /** Aborts on `close`. Long steps should observe it. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Runs a step soon, because there may be work. */
  wake(): void {
    if (this.signal.aborted) return;
    this.#woken = true;
    this.#working ??= this.#work();
  }

  /** Stops the work. Resolves when the running step has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    let more = true;
    while ((more || this.#woken) && !this.signal.aborted) {
      this.#woken = false;
      more = await this.#step();
    }
    this.#working = null;
  }

  /** Runs a step and returns whether to continue. Errors after `close` are ignored, because aborted steps may throw. */
  async #step(): Promise<boolean> {
    const { signal } = this;
    try {
      return await this.#options.step();
    } catch (error) {
      if (signal.aborted) return false;
      const pause = this.#options.onFailure(error);
      await sleep(pause, null, { signal, ref: false }).catch(() => {});
      return true;
    }
  }
}
