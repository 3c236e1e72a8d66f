import { parse } from '../../lib/json/index.ts';
import {
  beginningOf,
  type EventPage,
  type EventQuery,
  picks,
  type StoredEvent,
} from '../ports/event-store.ts';

/** Maximum work per page: a rare type in a long log is found over several pages. */
export interface Budget {
  readonly events: number;
  /** UTF-8 bytes of text; a page holds at least one event, however long it is. */
  readonly bytes: number;
}

const BUDGET: Budget = { events: 20_000, bytes: 16 * 1024 * 1024 };

/** The columns of a batch without its texts. */
export interface BatchHead {
  readonly lastPosition: number;
  readonly count: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

/** The uncompressed texts of a batch. */
export interface BatchTexts {
  readonly texts: Buffer;
  /** Where each event's text ends. */
  readonly ends: Uint32Array;
  /** Indexes in `ends` of duplicate events, which are not in the feed; ascending. */
  readonly known?: readonly number[];
}

/**
 * Builds a page of a space's feed; see `EventStore.read`. The store passes the batches after `after`, oldest first, and
 * reads texts only of the batches that the builder wants.
 */
export class PageBuilder {
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

  /** Number of events after `after` that the page can need; unbounded if the query filters. */
  get room(): number {
    const { picksAll } = this.#matcher;
    // One more event shows that there is more.
    return picksAll ? this.#query.limit + 1 - this.#events.length : Number.POSITIVE_INFINITY;
  }

  /** Returns whether the page takes no more batches; call `full` then. */
  get isFull(): boolean {
    return this.#lookedAt >= this.#budget.events || this.#bytes >= this.#budget.bytes;
  }

  /** Returns whether to call `take` with the batch's texts; otherwise call `pass`. */
  wants({ count, receivedAt }: BatchHead): boolean {
    return count > 0 && receivedWithin(receivedAt, this.#query);
  }

  /** Skips the next batch. */
  pass({ lastPosition, receivedAt }: BatchHead): void {
    if (!receivedWithin(receivedAt, this.#query)) this.#lookedAt += 1;
    this.#through = lastPosition;
  }

  /** Adds the next batch. Returns false if the page became full within it. */
  take(batch: BatchHead, body: BatchTexts): boolean {
    const { mayHold, isWanted } = this.#matcher;
    if (!mayHold(body.texts)) {
      this.#lookedAt += batch.count;
      this.#bytes += body.texts.length;
      this.#through = batch.lastPosition;
      return true;
    }
    for (const { position, bytes } of eventsOf(batch, body, this.#through)) {
      // One more event than the page holds shows that there is more.
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

  /** Returns a page that is not the last one. */
  full(): EventPage {
    return { events: this.#events, through: this.#through, more: true };
  }

  /** Returns the last page: there are no more batches up to `head`, whose own batch may have been removed. */
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
  /** Returns false if no event in these bytes can match: most batches are skipped without parsing. */
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

/** Returns bytes that every JSON text contains if it writes one of these texts with escapes. */
function escapeThatSpells(texts: readonly string[]): Buffer {
  const hasShortEscape = texts.some((text) => /["\\/\p{Cc}]/u.test(text));
  return Buffer.from(hasShortEscape ? '\\' : '\\u');
}
