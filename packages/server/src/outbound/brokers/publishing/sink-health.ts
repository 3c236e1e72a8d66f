import type { SinkFailure } from '../event-sink.ts';

export interface SinkHealthOptions {
  /** Called for the first failure of a kind, not for each retry. */
  readonly onFailing: (failure: SinkFailure, spaceId: string) => void;
  readonly onRecovered: () => void;
}

/**
 * Reports when a sink starts to fail and when it recovers.
 *
 * - healthy: no space fails. A failure → failing
 * - failing: only failures of a new kind are reported. An event that is too large is a separate kind for each space.
 *   The last failing space succeeds or is removed → healthy
 */
export class SinkHealth {
  readonly #options: SinkHealthOptions;
  readonly #failing = new Map<string, string>();

  constructor(options: SinkHealthOptions) {
    this.#options = options;
  }

  onFailure(spaceId: string, failure: SinkFailure): void {
    const kind = failure.reason === 'too-large' ? `too-large ${spaceId}` : failure.reason;
    const isKnown = this.#failing.values().some((known) => known === kind);
    this.#failing.set(spaceId, kind);
    if (!isKnown) this.#options.onFailing(failure, spaceId);
  }

  /** Must be called when a page of the space is published and when the space is removed. */
  onSuccess(spaceId: string): void {
    if (this.#failing.delete(spaceId) && this.#failing.size === 0) this.#options.onRecovered();
  }
}
