import type { SinkFailure } from '../event-sink.ts';

export interface SinkHealthOptions {
  /** Called for the first failure of a kind, not for each retry. */
  readonly onFailing: (failure: SinkFailure, spaceId: string) => void;
  /** Called when no space fails any more. */
  readonly onRecovered: () => void;
}

/**
 * Reports when a sink begins to fail and when it has recovered.
 *
 * - healthy: no space fails. A failure → failing
 * - failing: further failures of the same kind are not reported. An event that is too large is a kind for each space;
 *   all other kinds are common to all spaces. The last failing space succeeds or is removed → healthy
 */
export class SinkHealth {
  readonly #options: SinkHealthOptions;
  /** Kind of failure of each failing space. */
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

  /** Called when a page of the space was published, and when the space is removed. */
  onSuccess(spaceId: string): void {
    if (this.#failing.delete(spaceId) && this.#failing.size === 0) this.#options.onRecovered();
  }
}
