import type { DatabaseSync } from 'node:sqlite';
import type { EventStore } from '../../ports/event-store.ts';
import { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** Rows of a removed space that go in one step, so that ingest never waits long. */
const REMOVED_PER_STEP = 64;

export interface SqliteEventStore extends EventStore {
  close(): Promise<void>;
}

/** The event log of the embedded store. `onError` hears of background work that failed. */
export function createEventStore(
  file: string,
  reader: DatabaseSync,
  writer: Writer,
  onError: (error: unknown) => void,
): SqliteEventStore {
  const pages = new Reader(file);
  const removeSpace = (spaceId: string): void => {
    removeBySteps(writer, spaceId).catch(onError);
  };
  // What a removal left over when the process ended.
  const orphans = reader
    .prepare('select space_id from event_heads where space_id not in (select id from spaces)')
    .all();
  for (const row of orphans) removeSpace(String(row['space_id']));
  return {
    append: (batches) => writer.append(batches),
    read: (query) => pages.read(query),
    removeSpace,
    close: () => pages.close(),
  };
}

async function removeBySteps(writer: Writer, spaceId: string): Promise<void> {
  let removed: number;
  do {
    const step = await writer.statement(
      'delete from event_batches where id in (select id from event_batches where space_id = ? limit ?)',
      [spaceId, REMOVED_PER_STEP],
    );
    removed = step.changes;
  } while (removed > 0);
  await writer.statement('delete from event_heads where space_id = ?', [spaceId]);
}
