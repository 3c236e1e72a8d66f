import { parse } from '../../lib/json/index.ts';
import {
  beginningOf,
  type EventPage,
  type EventQuery,
  picks,
  type StoredEvent,
} from '../ports/event-store.ts';

/** What one call looks at, at most: a rare type in a long log is found over several pages. */
export interface Budget {
  readonly events: number;
  /** UTF-8 bytes of text; a page holds at least one event, however long it is. */
  readonly bytes: number;
}

const BUDGET: Budget = { events: 20_000, bytes: 16 * 1024 * 1024 };

/** What is known of a batch before its texts are read. */
export interface BatchHead {
  readonly lastPosition: number;
  readonly count: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

/** The texts of a batch, unpacked. */
export interface BatchTexts {
  readonly texts: Buffer;
  /** Where each event's text ends. */
  readonly ends: Uint32Array;
  /** Places in `ends` of events that are not in the feed, since they had been kept before; ascending. */
  readonly known?: readonly number[];
}

/**
 * A page of a space's feed while it is put together; see `EventStore.read`. The store gives it the batches
 * behind `after`, oldest first, and reads the texts of those alone that it asks for.
 */
export class PageInMaking {
  readonly #query: EventQuery;
  readonly #budget: Budget;
  readonly #matcher: Matcher;
  readonly #events: StoredEvent[] = [];
  #through: number;
  #lookedAt = 0;
  #bytes = 0;

  constructor(query: EventQuery, budget: Budget = BUDGET) {
    this.#query = query;
    this.#budget = budget;
    this.#matcher = matcher(query);
    this.#through = query.after;
  }

  /** So many events behind `after` are all that it can need; unbounded while it looks for certain ones. */
  get room(): number {
    const { picksAll } = this.#matcher;
    // With the one by which it sees that there are more.
    return picksAll ? this.#query.limit + 1 - this.#events.length : Number.POSITIVE_INFINITY;
  }

  /** Whether it takes no more batches: then it is `full`. */
  get isFull(): boolean {
    return this.#lookedAt >= this.#budget.events || this.#bytes >= this.#budget.bytes;
  }

  /** Whether it is to be given the batch's texts; else it is to pass over it. */
  wants({ count, receivedAt }: BatchHead): boolean {
    return count > 0 && receivedWithin(receivedAt, this.#query);
  }

  /** Passes over the next batch. */
  pass({ lastPosition, receivedAt }: BatchHead): void {
    if (!receivedWithin(receivedAt, this.#query)) this.#lookedAt += 1;
    this.#through = lastPosition;
  }

  /** Takes the next batch; false when the page ended within it, and is `full`. */
  take(batch: BatchHead, body: BatchTexts): boolean {
    const { mayHold, isWanted } = this.#matcher;
    if (!mayHold(body.texts)) {
      this.#lookedAt += batch.count;
      this.#bytes += body.texts.length;
      this.#through = batch.lastPosition;
      return true;
    }
    for (const { position, bytes } of eventsOf(batch, body, this.#through)) {
      // One event more than the page holds is what tells that there is more.
      if (this.#events.length === this.#query.limit || this.isFull) return false;
      this.#lookedAt += 1;
      this.#bytes += bytes.length;
      const text = mayHold(bytes) ? bytes.toString('utf8') : null;
      if (text !== null && isWanted(text))
        this.#events.push({ position, receivedAt: batch.receivedAt, text });
      this.#through = position;
    }
    return true;
  }

  /** The page, when there is more behind it. */
  full(): EventPage {
    return { events: this.#events, through: this.#through, more: true };
  }

  /** The page, when there was no other batch up to the position `head`, whose own may have been removed. */
  last(head: number): EventPage {
    return { events: this.#events, through: Math.max(this.#through, head), more: false };
  }
}

function receivedWithin(receivedAt: number, { from, to }: EventQuery): boolean {
  return (from === undefined || receivedAt >= from) && (to === undefined || receivedAt < to);
}

function* eventsOf(
  { lastPosition, count }: BatchHead,
  { texts, ends, known = [] }: BatchTexts,
  after: number,
): Generator<{ position: number; bytes: Buffer }> {
  const passed = new Set(known);
  let position = lastPosition - count;
  for (let place = 0; place < ends.length; place += 1) {
    if (passed.has(place)) continue;
    position += 1;
    if (position <= after) continue;
    const start = place === 0 ? 0 : ends[place - 1];
    yield { position, bytes: texts.subarray(start, ends[place]) };
  }
}

interface Matcher {
  readonly picksAll: boolean;
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
  if (alternatives.length === 0)
    return { picksAll: true, mayHold: () => true, isWanted: () => true };
  const needles = alternatives.map((texts) => [
    escapeThatSpells(texts),
    ...texts.map((text) => Buffer.from(text)),
  ]);
  return {
    picksAll: false,
    mayHold: (bytes) => needles.every((some) => some.some((needle) => bytes.includes(needle))),
    isWanted: (text) => picks(query, parse(text) as Record<string, unknown>),
  };
}

/** What stands in a JSON text that spells one of these otherwise than by its own characters. */
function escapeThatSpells(texts: readonly string[]): Buffer {
  const hasShortEscape = texts.some((text) => /["\\/\p{Cc}]/u.test(text));
  return Buffer.from(hasShortEscape ? '\\' : '\\u');
}
