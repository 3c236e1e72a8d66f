import { FairSemaphore } from '../../../lib/threads/index.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { NotificationChannels } from '../notifications.ts';
import type { Pool } from '../pool.ts';
import { AppendNotifier } from './append-notifier.ts';
import { createErasure } from './event-erasure.ts';
import { createRetention, findOrphans, removeSpaceEvents } from './event-removal.ts';
import { readPage } from './read-page.ts';
import { EventWriter } from './writer.ts';

export interface PostgresEventStoreOptions {
  readonly pool: Pool;
  readonly channels: NotificationChannels;
  readonly queueBytes: number;
  readonly onError: (error: unknown) => void;
}

export interface PostgresEventStore extends EventStore, AsyncDisposable {}

/** Maximum pages read concurrently. Each read briefly uses a connection and up to several megabytes of memory. */
const MAX_CONCURRENT_READS = 4;
/** Interval between searches for events of deleted spaces. The removal of these events may have been interrupted. */
const ORPHANS_EVERY_MS = 10 * 60_000;

/** Opens the event log on PostgreSQL. The schema must be up to date. Dispose of the store before the pool. */
export async function createPostgresEventStore(
  options: PostgresEventStoreOptions,
): Promise<PostgresEventStore> {
  const { pool, channels, queueBytes, onError } = options;
  const readHeads = () => heads(pool);
  // The heads are read before any listener is registered, so no later append is missed.
  const notifier = new AppendNotifier({ pool, channels, readHeads, heads: await readHeads() });
  const writer = new EventWriter(pool, queueBytes);
  const reads = new FairSemaphore({ permits: MAX_CONCURRENT_READS, name: 'postgres-pages' });
  const closing = new AbortController();
  const removals = new Map<string, Promise<void>>();

  function removeSpace(spaceId: string): void {
    if (closing.signal.aborted || removals.has(spaceId)) return;
    const removal = removeSpaceEvents(pool, spaceId, closing.signal)
      .catch(onError)
      .finally(() => removals.delete(spaceId));
    removals.set(spaceId, removal);
  }
  function removeOrphans(): void {
    findOrphans(pool).then(
      (spaceIds) => spaceIds.forEach(removeSpace),
      () => {},
    );
  }
  removeOrphans();
  const timer = setInterval(removeOrphans, ORPHANS_EVERY_MS).unref();

  return {
    append: async (batches) => {
      const appended = await writer.append(batches);
      if (appended.stored > 0) notifier.notify(batches);
      return appended;
    },
    read: (query) =>
      reads.run({ spaceId: query.spaceId, caller: null }, () => readPage(pool, query)),
    newest: async (spaceId) => {
      const { rows } = await pool.read(
        'select last_position from event_heads where space_id = $1',
        [spaceId],
      );
      return Number(rows[0]?.['last_position'] ?? 0);
    },
    heads: readHeads,
    onAppended: (listener) => notifier.listen(listener),
    ...createRetention(pool),
    ...createErasure(pool),
    removeSpace,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      closing.abort();
      await writer.close();
      await notifier.close();
      await Promise.all(removals.values());
    },
  };
}

async function heads(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.read(
    'select space_id, last_position from event_heads where space_id in (select id from spaces)',
  );
  return new Map(rows.map((row) => [String(row['space_id']), Number(row['last_position'])]));
}
