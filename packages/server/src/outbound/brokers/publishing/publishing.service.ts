import type { StoredEvent } from '../../../storage/ports/index.ts';
import { type EventSink, SinkFailure } from '../event-sink.ts';

export interface PublishingOptions {
  readonly sink: EventSink;
  /** What becomes of an event that is larger than the broker takes: it waits, with all behind it, or is left out. */
  readonly tooLarge: 'hold' | 'skip';
  readonly onPublished: (count: number) => void;
  readonly onSkipped: (spaceId: string, event: StoredEvent) => void;
}

/**
 * Publishes a page of a space's events: resolves when the broker has all of them, and throws a `SinkFailure`
 * when it has not. What of a failed page the broker has is remembered until the page succeeds, so that trying again
 * does not send it twice; a restart forgets it.
 */
export function createPublishing(options: PublishingOptions) {
  const { sink, tooLarge, onPublished, onSkipped } = options;
  /** Positions that are done of the page where a space stands. */
  const done = new Map<string, Set<number>>();

  return {
    async publish(spaceId: string, page: readonly StoredEvent[]): Promise<void> {
      const before = done.get(spaceId);
      let left = page.filter(({ position }) => before?.has(position) !== true);
      while (left.length > 0) {
        const round = await publishOnce(spaceId, left);
        if (round.failure !== null) {
          remember(spaceId, left, round.left);
          throw round.failure;
        }
        left = round.left;
      }
      done.delete(spaceId);
    },
    forget: (spaceId: string) => void done.delete(spaceId),
  };

  async function publishOnce(spaceId: string, stored: readonly StoredEvent[]) {
    const outcomes = await sink.publish(
      spaceId,
      stored.map(({ text }) => text),
    );
    const left: StoredEvent[] = [];
    let failure: SinkFailure | null = null;
    let skipped = 0;
    for (const [place, outcome] of outcomes.entries()) {
      if (outcome === 'published') continue;
      const event = stored[place] as StoredEvent;
      if (outcome instanceof SinkFailure && outcome.reason === 'too-large' && tooLarge === 'skip') {
        onSkipped(spaceId, event);
        skipped += 1;
        continue;
      }
      if (outcome !== 'held') failure = graver(failure, outcome);
      left.push(event);
    }
    onPublished(stored.length - left.length - skipped);
    if (skipped === 0 && left.length > 0)
      failure ??= new SinkFailure('refused', 'events were held back without a reason');
    return { left, failure };
  }

  function remember(
    spaceId: string,
    tried: readonly StoredEvent[],
    left: readonly StoredEvent[],
  ): void {
    const open = new Set(left.map(({ position }) => position));
    const positions = done.get(spaceId) ?? new Set();
    for (const { position } of tried) if (!open.has(position)) positions.add(position);
    done.set(spaceId, positions);
  }
}

/** One event that is too large says less about the sink than anything else that failed. */
function graver(one: SinkFailure | null, other: SinkFailure): SinkFailure {
  return one === null || one.reason === 'too-large' ? other : one;
}
