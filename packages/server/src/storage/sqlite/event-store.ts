import type { DatabaseSync } from 'node:sqlite';
import { ReadThread } from '../../lib/threads/index.ts';
import { withoutSubject } from '../event-log/erased-batch.ts';
import { fromStored, type StoredTexts, toWords } from '../event-log/stored-texts.ts';
import type { EventPage, EventQuery, EventStore } from '../ports/event-store.ts';
import { createRetention, removeSpaceEvents } from './event-removal.ts';
import type { Writer } from './writer/writer.ts';

export interface SqliteEventStore extends EventStore, AsyncDisposable {}

/** Creates the event log. `onError` receives failures of background work. Dispose of the event log before the writer. */
export function createEventStore(
  file: string,
  reader: DatabaseSync,
  writer: Writer,
  onError: (error: unknown) => void,
): SqliteEventStore {
  const pages = new ReadThread<EventQuery, EventPage>({
    script: new URL('./reads/page-thread.ts', import.meta.url),
    name: 'sqlite-pages',
    database: { file },
  });
  const closing = new AbortController();
  const removeSpace = (spaceId: string): void => {
    removeSpaceEvents(writer, spaceId, closing.signal).catch(onError);
  };
  const read: EventStore['read'] = (query) =>
    pages.read(query, { spaceId: query.spaceId, caller: null });
  const listeners = new Set<(spaceId: string, feedsKnowledge: boolean) => void>();
  const head = reader.prepare('select last_position from event_heads where space_id = ?');
  const heads = reader.prepare(
    'select space_id, last_position from event_heads where space_id in (select id from spaces)',
  );
  // Continues removals that a shutdown or crash interrupted.
  const orphans = reader
    .prepare('select space_id from event_heads where space_id not in (select id from spaces)')
    .all();
  for (const row of orphans) removeSpace(String(row['space_id']));
  return {
    append: async (batches) => {
      const appended = await writer.append(batches);
      for (const { spaceId, feedsKnowledge = false } of appended.stored === 0 ? [] : batches)
        for (const listener of listeners) listener(spaceId, feedsKnowledge);
      return appended;
    },
    read,
    newest: async (spaceId) => Number(head.get(spaceId)?.['last_position'] ?? 0),
    heads: async () =>
      new Map(heads.all().map((row) => [String(row['space_id']), Number(row['last_position'])])),
    onAppended: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...createRetention(reader, writer),
    ...createErasure(writer, read),
    removeSpace,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await pages.close();
    },
  };
}

/** Maximum number of events that one call erases. */
const EVENTS_PER_STEP = 100;

/** Creates the operation that erases events. The thread of the feed finds them. */
function createErasure(writer: Writer, read: EventStore['read']): Pick<EventStore, 'eraseSubject'> {
  return {
    eraseSubject: async (spaceId, subject, after, to) => {
      const received = to === undefined ? {} : { to };
      const query = { spaceId, subject, after, limit: EVENTS_PER_STEP, ...received };
      const { events, through, more } = await read(query);
      let erased = 0;
      let examined = after;
      for (const { position } of events) {
        if (position <= examined) continue;
        const batch = await eraseInBatch(writer, { spaceId, subject, position });
        erased += batch.erased;
        examined = batch.lastPosition;
      }
      return { erased, through: Math.max(through, examined), more };
    },
  };
}

interface Target {
  readonly spaceId: string;
  readonly subject: string;
  readonly position: number;
}

interface BatchRow extends Record<string, unknown> {
  readonly id: number;
  readonly last_position: number;
  readonly encoding: StoredTexts['encoding'];
  readonly ends: Uint8Array;
  readonly texts: Uint8Array;
}

/** Erases events from the batch that contains a position. The transaction prevents that a concurrent erasure restores texts. */
async function eraseInBatch(writer: Writer, { spaceId, subject, position }: Target) {
  const transaction = await writer.begin();
  let isCommitting = false;
  try {
    const { rows } = await transaction.run(
      'select id, last_position, encoding, ends, texts from event_batches where space_id = ? and last_position >= ? order by last_position limit 1',
      [spaceId, position],
    );
    const row = rows[0] as BatchRow | undefined;
    const changed = row === undefined ? null : changesOf(row, subject);
    if (row !== undefined && changed !== null) {
      const { texts, ends } = changed;
      await transaction.run(
        'update event_batches set encoding = ?, ends = ?, texts = ? where space_id = ? and id = ?',
        [texts.encoding, ends, texts.bytes, spaceId, row.id],
      );
      await transaction.run('update event_heads set bytes = max(0, bytes - ?) where space_id = ?', [
        row.texts.length - texts.bytes.length,
        spaceId,
      ]);
    }
    isCommitting = true;
    await transaction.commit();
    return {
      erased: changed?.erased ?? 0,
      lastPosition: Number(row?.last_position ?? position),
    };
  } catch (error) {
    if (!isCommitting) await transaction.rollBack();
    throw error;
  }
}

function changesOf({ encoding, ends, texts }: BatchRow, subject: string) {
  const all = fromStored({ encoding, bytes: texts });
  return withoutSubject({ texts: all, ends: toWords(ends) }, subject);
}
