import { setImmediate } from 'node:timers/promises';
import { FairSemaphore } from '../../../lib/threads/index.ts';
import { withoutSubject } from '../../event-log/erased-batch.ts';
import { fromStoredAsync, type StoredTexts, toWords } from '../../event-log/stored-texts.ts';
import type { ErasedEvents, EventStore } from '../../ports/event-store.ts';
import type { NotificationChannels } from '../notifications.ts';
import { beginTransaction, type Pool, type Row } from '../pool.ts';
import { retryOnce } from '../retry.ts';
import { AppendNotifier } from './append-notifier.ts';
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

/** Batches that one call examines. */
const BATCHES_PER_STEP = 32;

const COLUMNS = 'last_position, received_at, encoding, ends, texts, known';
const SELECT_SOME = `select ${COLUMNS} from event_batches
  where space_id = $1 and last_position > $2 order by last_position limit ${BATCHES_PER_STEP}`;
const LOCK = `select ${COLUMNS} from event_batches
  where space_id = $1 and last_position = $2 for update`;
const REPLACE = `update event_batches set encoding = $3, ends = $4, texts = $5
  where space_id = $1 and last_position = $2`;
const SUBTRACT =
  'update event_heads set bytes = greatest(0, bytes - $2::bigint) where space_id = $1';

/**
 * Creates the operation that erases events. It examines the batches itself, because they also contain the texts of duplicates,
 * which are not in the feed.
 */
function createErasure(pool: Pool): Pick<EventStore, 'eraseSubject'> {
  return {
    eraseSubject: (spaceId, subject, after, to = Number.POSITIVE_INFINITY) =>
      retryOnce(() => eraseSome(pool, { spaceId, subject, after, to })),
  };
}

interface Range {
  readonly spaceId: string;
  readonly subject: string;
  readonly after: number;
  readonly to: number;
}

async function eraseSome(
  pool: Pool,
  { spaceId, subject, after, to }: Range,
): Promise<ErasedEvents> {
  const { rows } = await pool.read(SELECT_SOME, [spaceId, after]);
  let erased = 0;
  let through = after;
  for (const row of rows) {
    const lastPosition = Number(row['last_position']);
    if (Number(row['received_at']) < to && (await changesOf(row, subject)) !== null)
      erased += await eraseInBatch(pool, { spaceId, subject, lastPosition });
    through = lastPosition;
    await setImmediate();
  }
  return { erased, through, more: rows.length === BATCHES_PER_STEP };
}

interface Target {
  readonly spaceId: string;
  readonly subject: string;
  readonly lastPosition: number;
}

/** Erases events from a batch. The row lock prevents that a concurrent erasure restores texts. */
function eraseInBatch(pool: Pool, { spaceId, subject, lastPosition }: Target): Promise<number> {
  return pool.hold(async (session) => {
    await beginTransaction(session, 'read committed');
    const { rows } = await session.run(LOCK, [spaceId, lastPosition]);
    const changed = rows[0] === undefined ? null : await changesOf(rows[0], subject);
    if (rows[0] !== undefined && changed !== null) {
      const { texts, ends } = changed;
      const before = (rows[0]['texts'] as Uint8Array).length;
      await session.run(REPLACE, [spaceId, lastPosition, texts.encoding, ends, texts.bytes]);
      await session.run(SUBTRACT, [spaceId, before - texts.bytes.length]);
    }
    await session.run('commit');
    return changed?.erased ?? 0;
  });
}

async function changesOf(row: Row, subject: string) {
  const { encoding, ends, texts, known } = row as {
    encoding: StoredTexts['encoding'];
    ends: Uint8Array;
    texts: Uint8Array;
    known: number[] | null;
  };
  const words = toWords(ends);
  const all = await fromStoredAsync({ encoding, bytes: texts }, words.at(-1) ?? 0);
  return withoutSubject({ texts: all, ends: words, known: known ?? [] }, subject);
}
