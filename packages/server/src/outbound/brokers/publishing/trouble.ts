import type { SinkFailure } from '../event-sink.ts';

export interface TroubleOptions {
  /** Hears of the first failure of a kind, not of each try. */
  readonly onBroken: (failure: SinkFailure, spaceId: string) => void;
  /** Hears when no space has a failure any more. */
  readonly onMended: () => void;
}

/**
 * What keeps a sink from its work, so that its log has a line when it breaks and one when it is mended. A broker that is
 * away or refuses is one trouble for all spaces; an event that is too large is one for its space.
 */
export function createTrouble({ onBroken, onMended }: TroubleOptions) {
  /** The kind of failure that each failing space has. */
  const failing = new Map<string, string>();

  return {
    failed(spaceId: string, failure: SinkFailure): void {
      const kind = failure.reason === 'too-large' ? `too-large ${spaceId}` : failure.reason;
      const isKnown = failing.values().some((known) => known === kind);
      failing.set(spaceId, kind);
      if (!isKnown) onBroken(failure, spaceId);
    },
    /** The space is up to date, or gone. */
    cleared(spaceId: string): void {
      if (failing.delete(spaceId) && failing.size === 0) onMended();
    },
  };
}
