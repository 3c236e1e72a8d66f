import type { Clock } from '../../../lib/scheduling/index.ts';
import type { Shared } from '../../ports/shared.ts';
import type { Pool } from '../pool.ts';
import { createEventCounts } from './event-counts.ts';
import { createBuckets, createRateCounts } from './rate-counts.ts';
import { joinReplicas, type Replica } from './replica.ts';
import { createSemaphores } from './semaphores.ts';
import { startSweeping } from './sweep.ts';

/**
 * Registers this process as a replica until the returned object is disposed of.
 *
 * @param onError receives failures of background work. The work is retried.
 */
export async function openShared(
  pool: Pool,
  replica: Replica,
  clock: Clock,
  onError: (error: unknown) => void,
): Promise<Shared & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const semaphores = createSemaphores(pool, replica.id, onError);
  const eventCounts = await createEventCounts(pool, replica.id);
  opened.use(await joinReplicas(pool, replica, semaphores.retryReleases, onError));
  opened.use(startSweeping(pool, onError));
  const all = opened.move();
  return {
    rates: createRateCounts(pool, clock),
    semaphores,
    buckets: createBuckets(pool),
    eventCounts,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
