import type { Clock } from '../../lib/scheduling/index.ts';
import type { Shared } from '../ports/shared.ts';
import { createMemoryPlaces } from './places.ts';
import { createMemoryRateCounts } from './rate-counts.ts';

export { createMemoryPlaces, createMemoryRateCounts };

/** For a service that is one process: what replicas would share is in its memory, and ends with it. */
export function shareWithNobody(clock: Clock): Shared {
  return {
    rates: createMemoryRateCounts(clock),
    places: createMemoryPlaces(),
    buckets: null,
    eventCounts: null,
  };
}
