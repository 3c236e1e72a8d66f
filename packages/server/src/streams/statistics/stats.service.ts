import type { EventStats } from '@gatehouse/contract';
import type { SpaceAccess } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { EventStore } from '../../storage/ports/index.ts';
import type { Consumers } from '../consumers/index.ts';
import type { Live } from '../live/live.service.ts';
import type { AllCounts } from './count-publishing.ts';
import {
  type MinuteCounts,
  minuteOf,
  type NamedCounts,
  SpaceCounts,
  sum,
  WINDOW,
} from './counts.ts';
import type { Tally } from './tally.ts';

export interface StatsDeps {
  readonly store: EventStore;
  readonly tally: Tally;
  readonly consumers: Consumers;
  readonly live: Live;
  readonly clock: Clock;
  /** Counts of all replicas. `null` if there is only one process. */
  readonly allCounts: AllCounts | null;
}

/** Creates a function that returns the statistics of a space for the last hour, and the lag of its consumers. */
export function createStats(deps: StatsDeps): (space: SpaceAccess) => Promise<EventStats> {
  const { store, consumers, clock } = deps;
  const { since, of, listeners } = deps.allCounts ?? ownCounts(deps);
  return async ({ spaceId }) => {
    const minute = minuteOf(clock());
    const counts = await of(spaceId);
    const stored = await store.newest(spaceId);
    const positions = await Promise.all(
      consumers
        .all()
        .map(async ({ name, position }) => ({ name, processed: await position(spaceId) })),
    );
    const from = minute - WINDOW + 1;
    return {
      since: new Date(Math.max(since, from * 60_000)).toISOString(),
      firstMinute: new Date(from * 60_000).toISOString(),
      accepted: counts.accepted.read(minute),
      bytes: counts.bytes.read(minute),
      types: byName(counts.types, minute),
      sources: byName(counts.sources, minute),
      failures: byReason(counts.failures, minute),
      refused: byReason(counts.refusals, minute),
      stored,
      listeners: await listeners(spaceId),
      consumers: positions.flatMap(({ name, processed }) =>
        processed === null ? [] : [{ name, lag: Math.max(0, stored - processed) }],
      ),
    };
  };
}

function ownCounts({ tally, live, clock }: StatsDeps): AllCounts {
  return {
    since: clock(),
    of: async (spaceId) => tally.of(spaceId) ?? new SpaceCounts(),
    listeners: async (spaceId) => live.count(spaceId),
  };
}

function byName(counts: NamedCounts, minute: number) {
  return counts.read(minute).map(({ name, counts: perMinute }) => ({
    name,
    total: sum(perMinute),
    perMinute,
  }));
}

function byReason<Reason extends string>(
  counts: ReadonlyMap<Reason, MinuteCounts>,
  minute: number,
) {
  return [...counts]
    .map(([reason, own]) => ({ reason, perMinute: own.read(minute) }))
    .map(({ reason, perMinute }) => ({ reason, total: sum(perMinute), perMinute }))
    .filter(({ total }) => total > 0);
}
