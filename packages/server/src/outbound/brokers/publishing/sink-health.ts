import type { SinkFailure } from '../event-sink.ts';

export interface SinkHealthOptions {
  /** Called for the first failure of each kind, not for each retry. */
  readonly onFailing: (failure: SinkFailure, spaceId: string) => void;
  readonly onRecovered: () => void;
}

/**
 * Reports when a sink starts to fail and when it recovers.
 *
 * - healthy: no space fails. A failure → failing
 * - failing: only failures of a new kind are reported. An event that is too large is a separate kind for each space. Each
 *   reason why the broker is unreachable is reported once per outage. The last failing space succeeds or is removed → healthy
 */
export class SinkHealth {
  readonly #options: SinkHealthOptions;
  readonly #failing = new Map<string, string>();
  /** Reasons why the broker was unreachable since the sink started to fail. */
  readonly #unreachable = new Set<string>();

  constructor(options: SinkHealthOptions) {
    this.#options = options;
  }

  onFailure(spaceId: string, failure: SinkFailure): void {
    const kind = kindOf(spaceId, failure);
    const isKnown =
      this.#unreachable.has(kind) || this.#failing.values().some((known) => known === kind);
    this.#failing.set(spaceId, kind);
    if (failure.reason === 'unreachable') this.#unreachable.add(kind);
    if (!isKnown) this.#options.onFailing(failure, spaceId);
  }

  /** Must be called when a page of the space is published and when the space is removed. */
  onSuccess(spaceId: string): void {
    if (!this.#failing.delete(spaceId) || this.#failing.size > 0) return;
    this.#unreachable.clear();
    this.#options.onRecovered();
  }
}

function kindOf(spaceId: string, { reason, message }: SinkFailure): string {
  if (reason === 'too-large') return `${reason} ${spaceId}`;
  return reason === 'unreachable' ? `${reason} ${message}` : reason;
}
