import type { Clock } from '../../../lib/scheduling/index.ts';
import type { Shared } from '../../ports/shared.ts';
import type { Pool } from '../pool.ts';
import type { DatabaseClock } from './database-clock.ts';
import { createEventCounts } from './event-counts.ts';
import { createBuckets, createRateCounts } from './rate-counts.ts';
import { joinReplicas, type Replica } from './replica.ts';
import { createSemaphores } from './semaphores.ts';
import { startSweeping } from './sweep.ts';

export interface SharedOptions {
  readonly pool: Pool;
  readonly replica: Replica;
  /** Clock of the rate limits. */
  readonly clock: Clock;
  /** Measured with each heartbeat. */
  readonly databaseClock: DatabaseClock;
  /** Receives failures of background work. The work is retried. */
  readonly onError: (error: unknown) => void;
}

/** Registers this process as a replica until the returned object is disposed of. */
export async function openShared({
  pool,
  replica,
  clock,
  databaseClock,
  onError,
}: SharedOptions): Promise<Shared & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const semaphores = createSemaphores(pool, replica.id, onError);
  const eventCounts = await createEventCounts(pool, replica.id);
  const onBeat = semaphores.retryReleases;
  opened.use(await joinReplicas(pool, replica, { databaseClock, onBeat, onError }));
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
