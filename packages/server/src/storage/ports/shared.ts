import type { EventCounts } from './event-counts.ts';
import type { RateCounts } from './rate-counts.ts';
import type { Semaphores } from './semaphores.ts';
import type { SharedBuckets } from './shared-buckets.ts';

/** What processes must know of each other, beside what is kept. */
export interface Shared {
  readonly rates: RateCounts;
  readonly semaphores: Semaphores;
  /** Null where one process is all there is. */
  readonly buckets: SharedBuckets | null;
  /** The same. */
  readonly eventCounts: EventCounts | null;
}
