import type { DatabaseSync } from 'node:sqlite';
import type { EventPage, EventQuery, StoredEvent } from '../../../ports/event-store.ts';

/** How many events one call looks at: a rare type in a long log is found over several pages. */
const MAX_LOOKED_AT = 20_000;

interface BatchRow {
  last_position: number;
  count: number;
  received_at: number;
  ends: Uint8Array;
  texts: Uint8Array;
}

/** Reads one page of a space's feed; see `EventStore.read`. */
export function readPage(db: DatabaseSync, query: EventQuery): EventPage {
  const rows = db
    .prepare(
      'select last_position, count, received_at, ends, texts from event_batches where space_id = ? and last_position > ? order by last_position',
    )
    .iterate(query.spaceId, query.after) as unknown as Iterable<BatchRow>;
  const wanted = matcher(query);
  const events: StoredEvent[] = [];
  let through = query.after;
  let lookedAt = 0;
  for (const row of rows) {
    if (!receivedWithin(row.received_at, query)) {
      through = row.last_position;
      continue;
    }
    for (const event of eventsOf(row, through)) {
      // One event more than the page holds is what tells that there is more.
      if (events.length === query.limit || lookedAt === MAX_LOOKED_AT)
        return { events, through, more: true };
      lookedAt += 1;
      if (wanted(event.text)) events.push(event);
      through = event.position;
    }
  }
  return { events, through, more: false };
}

function receivedWithin(receivedAt: number, { from, to }: EventQuery): boolean {
  return (from === undefined || receivedAt >= from) && (to === undefined || receivedAt < to);
}

function* eventsOf(row: BatchRow, after: number): Generator<StoredEvent> {
  const ends = new Uint32Array(row.ends.slice().buffer);
  const texts = Buffer.from(row.texts.buffer, row.texts.byteOffset, row.texts.byteLength);
  const first = row.last_position - row.count + 1;
  for (let index = Math.max(0, after + 1 - first); index < row.count; index += 1) {
    const start = index === 0 ? 0 : ends[index - 1];
    const text = texts.toString('utf8', start, ends[index]);
    yield { position: first + index, receivedAt: row.received_at, text };
  }
}

function matcher({ type, source, subject }: EventQuery): (text: string) => boolean {
  if (type === undefined && source === undefined && subject === undefined) return () => true;
  return (text) => {
    const event = JSON.parse(text) as Record<string, unknown>;
    return (
      (type === undefined || event['type'] === type) &&
      (source === undefined || event['source'] === source) &&
      (subject === undefined || event['subject'] === subject)
    );
  };
}
