import type { StoredEvent } from '../../../storage/ports/index.ts';
import { type EventSink, SinkFailure } from '../event-sink.ts';

export interface PublisherOptions {
  readonly sink: EventSink;
  /** Treatment of an event that exceeds a limit of the broker. `hold` retries the event and blocks its space. `skip` drops it. */
  readonly tooLarge: 'hold' | 'skip';
  readonly onPublished: (count: number) => void;
  readonly onSkipped: (spaceId: string, event: StoredEvent) => void;
}

/**
 * Publishes pages of events to one sink. A retry of a failed page skips the events that were already published, except
 * after a restart. Each space is in one of two states:
 *
 * - complete: all pages were published. A page fails → partial
 * - partial: a page failed, and some of its events may be published. The page succeeds on a retry → complete
 */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #published = new Map<string, Set<number>>();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Resolves when the broker has stored all events of the page except skipped ones. Throws `SinkFailure` otherwise. */
  async publish(spaceId: string, page: readonly StoredEvent[]): Promise<void> {
    const before = this.#published.get(spaceId);
    let left = page.filter(({ position }) => before?.has(position) !== true);
    while (left.length > 0) {
      const round = await this.#publishOnce(spaceId, left);
      if (round.failure !== null) {
        this.#remember(spaceId, left, round.left);
        throw round.failure;
      }
      left = round.left;
    }
    this.#published.delete(spaceId);
  }

  removeSpace(spaceId: string): void {
    this.#published.delete(spaceId);
  }

  async #publishOnce(spaceId: string, events: readonly StoredEvent[]) {
    const { sink, tooLarge, onPublished, onSkipped } = this.#options;
    const outcomes = await sink.publish(
      spaceId,
      events.map(({ text }) => text),
    );
    const left: StoredEvent[] = [];
    let failure: SinkFailure | null = null;
    let skipped = 0;
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome === 'published') continue;
      const event = events[index] as StoredEvent;
      if (outcome instanceof SinkFailure && outcome.reason === 'too-large' && tooLarge === 'skip') {
        onSkipped(spaceId, event);
        skipped += 1;
        continue;
      }
      if (outcome !== 'held') failure = moreSevere(failure, outcome);
      left.push(event);
    }
    onPublished(events.length - left.length - skipped);
    if (skipped === 0 && left.length > 0)
      failure ??= new SinkFailure('refused', 'events were held back without a reason');
    return { left, failure };
  }

  #remember(spaceId: string, tried: readonly StoredEvent[], left: readonly StoredEvent[]): void {
    const failed = new Set(left.map(({ position }) => position));
    const positions = this.#published.get(spaceId) ?? new Set();
    for (const { position } of tried) if (!failed.has(position)) positions.add(position);
    this.#published.set(spaceId, positions);
  }
}

/** Returns the failure that affects more events. `too-large` affects only one event. */
function moreSevere(one: SinkFailure | null, other: SinkFailure): SinkFailure {
  return one === null || one.reason === 'too-large' ? other : one;
}
