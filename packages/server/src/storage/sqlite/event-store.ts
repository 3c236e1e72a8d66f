import type { DatabaseSync } from 'node:sqlite';
import { ReadThread } from '../../lib/threads/index.ts';
import type { EventPage, EventQuery, EventStore } from '../ports/event-store.ts';
import { createErasure } from './event-erasure.ts';
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
