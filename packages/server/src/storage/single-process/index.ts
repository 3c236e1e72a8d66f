import type { Clock } from '../../lib/scheduling/index.ts';
import type { Shared } from '../ports/shared.ts';
import { createMemoryRateCounts } from './rate-counts.ts';
import { createMemorySemaphores } from './semaphores.ts';

export { createMemoryRateCounts, createMemorySemaphores };

export function createMemoryShared(clock: Clock): Shared {
  return {
    rates: createMemoryRateCounts(clock),
    semaphores: createMemorySemaphores(),
    buckets: null,
    eventCounts: null,
  };
}
