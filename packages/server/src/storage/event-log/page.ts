import { parse } from '../../lib/json/index.ts';
import {
  type EventFilter,
  type EventPage,
  type EventQuery,
  literalOf,
  matchesFilter,
  type StoredEvent,
} from '../ports/event-store.ts';

/** Maximum work per page. A search for rare events in a long log therefore returns several short or empty pages. */
export interface Budget {
  readonly events: number;
  /** UTF-8 bytes of event text. The last examined event or batch may exceed this limit. */
  readonly bytes: number;
}

const BUDGET: Budget = { events: 20_000, bytes: 16 * 1024 * 1024 };

export interface BatchHead {
  readonly lastPosition: number;
  readonly count: number;
  readonly receivedAt: number;
}

export interface BatchTexts {
  readonly texts: Buffer;
  /** End offset of each event in `texts`. An erased event has an empty text and keeps its position. */
  readonly ends: Uint32Array;
  /** Indexes of the duplicate events, in ascending order. They refer to `ends`. Duplicates have no position in the log. */
  readonly known?: readonly number[];
}

/**
 * Builds a page for `EventStore.read`. The store adds all batches after `query.after`, oldest first. It loads the texts
 * of a batch only if `wants` returns `true`.
 *
 * @example
 * const page = new PageBuilder(query);
 * for (const batch of batches) {
 *   if (page.isFull) return page.full();
 *   if (!page.wants(batch)) page.pass(batch);
 *   else if (!page.take(batch, loadTexts(batch))) return page.full();
 * }
 * return page.last(head);
 */
export class PageBuilder {
  readonly #query: EventQuery;
  readonly #budget: Budget;
  readonly #matcher: Matcher;
  readonly #before: number;
  readonly #events: StoredEvent[] = [];
  #through: number;
  #examined = 0;
  #bytes = 0;

  constructor(query: EventQuery, budget: Budget = BUDGET) {
    this.#query = query;
    this.#budget = budget;
    this.#matcher = matcher(query);
    this.#before = query.before ?? Number.POSITIVE_INFINITY;
    this.#through = query.after;
  }

  /** Maximum number of further events that the page needs. Infinite if the query has a filter. */
  get room(): number {
    const { matchesAll } = this.#matcher;
    // The page reads one event beyond the limit to find out whether there are more.
    return matchesAll ? this.#query.limit + 1 - this.#events.length : Number.POSITIVE_INFINITY;
  }

  /** True if the page accepts no more batches. Then call `full`. */
  get isFull(): boolean {
    return (
      this.#through >= this.#before - 1 ||
      this.#examined >= this.#budget.events ||
      this.#bytes >= this.#budget.bytes
    );
  }

  /** Reports whether the page needs the texts of a batch. If so, call `take`; otherwise call `pass`. */
  wants({ lastPosition, count, receivedAt }: BatchHead): boolean {
    const isBefore = lastPosition - count < this.#before - 1;
    return count > 0 && isBefore && receivedWithin(receivedAt, this.#query);
  }

  pass({ lastPosition, receivedAt }: BatchHead): void {
    if (!receivedWithin(receivedAt, this.#query)) this.#examined += 1;
    this.#through = lastPosition;
  }

  /** Adds the next batch. Returns `false` if the page became full before the end of the batch. */
  take(batch: BatchHead, body: BatchTexts): boolean {
    const { mayMatch, matches } = this.#matcher;
    if (!mayMatch(body.texts)) {
      this.#examined += batch.count;
      this.#bytes += body.texts.length;
      this.#through = batch.lastPosition;
      return true;
    }
    for (const { position, bytes } of eventsOf(batch, body, this.#through)) {
      if (bytes.length === 0) {
        this.#through = position;
        continue;
      }
      // An event beyond the limit means that there are more events.
      if (this.#events.length === this.#query.limit || this.isFull) return false;
      this.#examined += 1;
      this.#bytes += bytes.length;
      const text = mayMatch(bytes) ? bytes.toString('utf8') : null;
      if (text !== null && matches(text))
        this.#events.push({ position, receivedAt: batch.receivedAt, text });
      this.#through = position;
    }
    return true;
  }

  /** Returns the page and sets `more`, because the log may contain further events. */
  full(): EventPage {
    return { events: this.#events, through: this.#through, more: true };
  }

  /** Returns the last page. `head` is the newest position of the space, even if the event at this position was removed. */
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
  const duplicates = new Set(known);
  let position = lastPosition - count;
  for (let index = 0; index < ends.length; index += 1) {
    if (duplicates.has(index)) continue;
    position += 1;
    if (position <= after) continue;
    const start = index === 0 ? 0 : ends[index - 1];
    yield { position, bytes: texts.subarray(start, ends[index]) };
  }
}

export interface Matcher {
  readonly matchesAll: boolean;
  /** Returns `false` if no event in these bytes can match. Most batches are then skipped without being parsed. */
  readonly mayMatch: (bytes: Buffer) => boolean;
  readonly matches: (text: string) => boolean;
}

export function matcher(filter: EventFilter): Matcher {
  const { type, source, subject, typePrefix, types, sources } = filter;
  const alternatives = [
    ...[type, source, subject, typePrefix].map((one) => (one === undefined ? null : [one])),
    types?.map(literalOf) ?? null,
    sources?.map(literalOf) ?? null,
  ].filter((texts) => texts !== null);
  if (alternatives.length === 0)
    return { matchesAll: true, mayMatch: () => true, matches: () => true };
  const needles = alternatives.map((texts) => [
    escapeMarker(texts),
    ...texts.map((text) => Buffer.from(text)),
  ]);
  return {
    matchesAll: false,
    mayMatch: (bytes) => needles.every((some) => some.some((needle) => bytes.includes(needle))),
    matches: (text) => matchesFilter(filter, parse(text) as Record<string, unknown>),
  };
}

/** Returns bytes that must occur in a JSON string if the string is one of these texts, written with an escape sequence. */
function escapeMarker(texts: readonly string[]): Buffer {
  const hasShortEscape = texts.some((text) => /["\\/\p{Cc}]/u.test(text));
  return Buffer.from(hasShortEscape ? '\\' : '\\u');
}
