import { setTimeout as sleep } from 'node:timers/promises';

export interface BackgroundWorkOptions {
  /** Does the next piece of what is to be done; false when there was nothing. */
  readonly step: () => Promise<boolean>;
  /** Hears why a step failed, and gives the milliseconds to wait before the next one. */
  readonly onFailure: (error: unknown) => number;
}

/**
 * Work that is done in the background, step by step and never two steps at once. What is to be done
 * stands in the store; waking only tells to look there.
 *
 * - idle: nothing runs. `wake` → working.
 * - working: a step is under way.
 *   It did something → working.
 *   It found nothing → idle; but working when somebody woke it meanwhile, since the step may have looked before.
 *   It failed → pausing.
 * - pausing: until the time is over → working. To `wake` changes nothing: it would most likely fail again.
 * - closed: by `close`, from all of these, when the step under way has ended. For good.
 */
export class BackgroundWork {
  readonly #options: BackgroundWorkOptions;
  readonly #closing = new AbortController();
  /** Null while idle. */
  #working: Promise<void> | null = null;
  /** Since the last step began. */
  #woken = false;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
  }

  /** Aborted when it is to be closed: a long step ends early by this. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** There may be something to do. */
  wake(): void {
    if (this.signal.aborted) return;
    this.#woken = true;
    this.#working ??= this.#work();
  }

  /** Resolves when no step is under way any more, and none will be. */
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

  /** Whether to go on. A failure while it is closed is of no interest: that is how a step ends early. */
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
