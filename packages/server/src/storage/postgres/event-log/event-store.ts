import { FairSemaphore } from '../../../lib/threads/index.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { NotificationChannels } from '../notifications.ts';
import type { Pool } from '../pool.ts';
import { AppendNotifier } from './append-notifier.ts';
import { createRetention, findOrphans, removeSpaceEvents } from './event-removal.ts';
import { readPage } from './read-page.ts';
import { EventWriter } from './writer.ts';

export interface PostgresEventStoreOptions {
  readonly pool: Pool;
  /** Among them `EVENTS_CHANNEL`. */
  readonly channels: NotificationChannels;
  /** Bytes of events that may wait to be written before more are refused as overloaded. */
  readonly queueBytes: number;
  /** Background work failed; it is tried again later. */
  readonly onError: (error: unknown) => void;
}

export interface PostgresEventStore extends EventStore, AsyncDisposable {}

/** Pages that are read concurrently: each holds a connection briefly and up to some megabytes. */
const READS_AT_ONCE = 4;
/** Spaces that are gone are looked for this often: the replica that removed their events may be gone, too. */
const ORPHANS_EVERY_MS = 10 * 60_000;

/** The event log on PostgreSQL; the schema must be up to date. To be disposed before the pool. */
export async function createPostgresEventStore(
  options: PostgresEventStoreOptions,
): Promise<PostgresEventStore> {
  const { pool, channels, queueBytes, onError } = options;
  const readHeads = () => heads(pool);
  // Whoever listens begins after this moment, and hears of what is appended from then on.
  const notifier = new AppendNotifier({ pool, channels, readHeads, heads: await readHeads() });
  const writer = new EventWriter(pool, queueBytes);
  const reads = new FairSemaphore(READS_AT_ONCE);
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
    // A server that is away is told of by whoever needs it.
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
    read: (query) => reads.run(query.spaceId, () => readPage(pool, query)),
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
