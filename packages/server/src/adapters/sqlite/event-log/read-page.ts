import type { DatabaseSync } from 'node:sqlite';
import { parse } from '../../../json/index.ts';
import {
  beginningOf,
  type EventPage,
  type EventQuery,
  picks,
  type StoredEvent,
} from '../../../ports/event-store.ts';
import { toWords } from './identity-key.ts';
import { fromStored, type StoredTexts } from './stored-texts.ts';

/** What one call looks at, at most: a rare type in a long log is found over several pages. */
export interface Budget {
  readonly events: number;
  /** UTF-8 bytes of text; a page holds at least one event, however long it is. */
  readonly bytes: number;
}

const BUDGET: Budget = { events: 20_000, bytes: 16 * 1024 * 1024 };

interface BatchRow {
  readonly id: number;
  readonly last_position: number;
  readonly count: number;
  readonly received_at: number;
}

interface BatchBody {
  readonly encoding: StoredTexts['encoding'];
  readonly ends: Uint8Array;
  readonly texts: Uint8Array;
}

/** Reads one page of a space's feed; see `EventStore.read`. */
export function createPageReader(
  db: DatabaseSync,
  budget: Budget = BUDGET,
): (query: EventQuery) => EventPage {
  const selectBatches = db.prepare(
    'select id, last_position, count, received_at from event_batches where space_id = ? and last_position > ? order by last_position',
  );
  const selectMarked = db.prepare(
    'select id, batch.last_position, count, received_at from event_knowledge_batches as marked join event_batches as batch on batch.space_id = marked.space_id and batch.last_position = marked.last_position where marked.space_id = ? and marked.last_position > ? order by marked.last_position',
  );
  // The long columns are read apart, and only of the batches that matter.
  const selectBody = db.prepare('select encoding, ends, texts from event_batches where id = ?');
  const selectHead = db.prepare('select last_position from event_heads where space_id = ?');

  return (query) => {
    // Before the batches, which are then at least those up to there.
    const end = Number(selectHead.get(query.spaceId)?.['last_position'] ?? 0);
    const select = query.feedsKnowledge === true ? selectMarked : selectBatches;
    const batches = select.iterate(query.spaceId, query.after) as unknown as Iterable<BatchRow>;
    const { mayHold, isWanted } = matcher(query);
    const events: StoredEvent[] = [];
    let through = query.after;
    let lookedAt = 0;
    let bytes = 0;
    for (const batch of batches) {
      if (lookedAt >= budget.events || bytes >= budget.bytes)
        return { events, through, more: true };
      if (!receivedWithin(batch.received_at, query)) {
        lookedAt += 1;
        through = batch.last_position;
        continue;
      }
      if (batch.count === 0) {
        through = batch.last_position;
        continue;
      }
      const body = selectBody.get(batch.id) as unknown as BatchBody | undefined;
      if (body === undefined) continue;
      const texts = fromStored({ encoding: body.encoding, bytes: body.texts });
      if (!mayHold(texts)) {
        lookedAt += batch.count;
        bytes += texts.length;
        through = batch.last_position;
        continue;
      }
      for (const event of eventsOf(batch, toWords(body.ends), texts, through)) {
        // One event more than the page holds is what tells that there is more.
        if (events.length === query.limit || lookedAt >= budget.events || bytes >= budget.bytes)
          return { events, through, more: true };
        lookedAt += 1;
        bytes += event.bytes.length;
        const text = mayHold(event.bytes) ? event.bytes.toString('utf8') : null;
        if (text !== null && isWanted(text))
          events.push({ position: event.position, receivedAt: batch.received_at, text });
        through = event.position;
      }
    }
    // The newest may have been removed.
    return { events, through: Math.max(through, end), more: false };
  };
}

function receivedWithin(receivedAt: number, { from, to }: EventQuery): boolean {
  return (from === undefined || receivedAt >= from) && (to === undefined || receivedAt < to);
}

function* eventsOf(
  batch: BatchRow,
  ends: Uint32Array,
  texts: Buffer,
  after: number,
): Generator<{ position: number; bytes: Buffer }> {
  const first = batch.last_position - batch.count + 1;
  for (let index = Math.max(0, after + 1 - first); index < batch.count; index += 1) {
    const start = index === 0 ? 0 : (ends[index - 1] ?? 0);
    const end = ends[index] ?? start;
    yield { position: first + index, bytes: texts.subarray(start, end) };
  }
}

interface Matcher {
  /** False when none of the events in these bytes can be wanted: most batches are passed over without being taken apart. */
  readonly mayHold: (bytes: Buffer) => boolean;
  readonly isWanted: (text: string) => boolean;
}

function matcher(query: EventQuery): Matcher {
  const { type, source, subject, typePrefix, types, sources } = query;
  const alternatives = [
    ...[type, source, subject, typePrefix].map((one) => (one === undefined ? null : [one])),
    types?.map(beginningOf) ?? null,
    sources?.map(beginningOf) ?? null,
  ].filter((texts) => texts !== null);
  if (alternatives.length === 0) return { mayHold: () => true, isWanted: () => true };
  const needles = alternatives.map((texts) => [
    escapeThatSpells(texts),
    ...texts.map((text) => Buffer.from(text)),
  ]);
  return {
    mayHold: (bytes) => needles.every((some) => some.some((needle) => bytes.includes(needle))),
    isWanted: (text) => picks(query, parse(text) as Record<string, unknown>),
  };
}

/** What stands in a JSON text that spells one of these otherwise than by its own characters. */
function escapeThatSpells(texts: readonly string[]): Buffer {
  const hasShortEscape = texts.some((text) => /["\\/\p{Cc}]/u.test(text));
  return Buffer.from(hasShortEscape ? '\\' : '\\u');
}
