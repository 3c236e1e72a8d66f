import { hash } from 'node:crypto';

/**
 * Events of one space that passed every check, ready to be kept. The n-th event's text is
 * `texts[ends[n - 1] … ends[n]]`, UTF-8 JSON exactly as it was sent, without `auth`.
 */
export interface EventBatch {
  readonly spaceId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** Owned by the store from here on: it may be moved to another thread. */
  readonly texts: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  /** One 16-byte identity an event, latin1, joined; see `identityOf`. */
  readonly identities: string;
  /** Whether any of them changes documents. */
  readonly feedsKnowledge?: boolean;
}

export interface Appended {
  /** Events kept now; the others were kept before. */
  readonly stored: number;
}

/** Which events are looked for, by their attributes: all that are given must hold. */
export interface EventFilter {
  readonly type?: string;
  readonly source?: string;
  readonly subject?: string;
  /** Events whose type begins like this. */
  readonly typePrefix?: string;
  /** Events of any of these types, each to the letter, or how it begins when it ends with `*`. */
  readonly types?: readonly string[];
  /** The same of sources. */
  readonly sources?: readonly string[];
}

const ANY_END = '*';

/** The part of a pattern that stands in what it picks: all of it, or what is before the `*` at its end. */
export function beginningOf(pattern: string): string {
  return pattern.endsWith(ANY_END) ? pattern.slice(0, -ANY_END.length) : pattern;
}

function isAmong(patterns: readonly string[], value: unknown): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith(ANY_END) ? String(value).startsWith(beginningOf(pattern)) : value === pattern,
  );
}

/**
 * Whether a filter picks an event.
 *
 * @param event its text, parsed.
 */
export function picks(filter: EventFilter, event: Readonly<Record<string, unknown>>): boolean {
  const { type, source, subject, typePrefix, types, sources } = filter;
  return (
    (types === undefined || isAmong(types, event['type'])) &&
    (sources === undefined || isAmong(sources, event['source'])) &&
    (type === undefined || event['type'] === type) &&
    (typePrefix === undefined || String(event['type']).startsWith(typePrefix)) &&
    (source === undefined || event['source'] === source) &&
    (subject === undefined || event['subject'] === subject)
  );
}

export interface EventQuery extends EventFilter {
  readonly spaceId: string;
  /** Read events after this position; 0 is the beginning. */
  readonly after: number;
  /** How many at most, from 1. */
  readonly limit: number;
  /** Of batches alone that were kept as ones that change documents; all others are passed over unread. */
  readonly feedsKnowledge?: true;
  /** Unix milliseconds: received at or after, and received before. */
  readonly from?: number;
  readonly to?: number;
}

export interface StoredEvent {
  /** Place in its space's feed: from 1, growing, never reused. */
  readonly position: number;
  readonly receivedAt: number;
  /** The event's JSON text as it was sent. */
  readonly text: string;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Everything up to this position was looked at; to the end of the feed, where there is no more. */
  readonly through: number;
  /** Whether there is more after `through`. */
  readonly more: boolean;
}

/** What a space's events keep to, counted in whole batches, as they were received. */
export type EventBound =
  /** Unix milliseconds: none was received before. */
  | { readonly since: number }
  /** What their texts take in the store, at most. */
  | { readonly bytes: number };

/** The durable log of accepted events, a feed for each space, in which an identity stands once. */
export interface EventStore {
  /**
   * Keeps the events whose identity is new and forgets the others, all or nothing over all batches
   * of the call. When it returns, they are on disk and survive a power cut. Throws
   * `StorageUnavailable`: the same events may be sent again, and are still kept once, even when the
   * store failed between keeping them and saying so.
   */
  append(batches: readonly EventBatch[]): Promise<Appended>;
  /** Reads a page of a space's feed, oldest first. A page may be short, even empty, while there is `more`. */
  read(query: EventQuery): Promise<EventPage>;
  /** The position of a space's newest event; 0 when it has none. Retention does not lower it. */
  newest(spaceId: string): Promise<number>;
  /** The same of every space that ever had an event. */
  heads(): Promise<ReadonlyMap<string, number>>;
  /**
   * Tells of spaces to which something was appended, soon after; gives what ends the telling. It is a hint
   * to look and may be missed: the store is the truth.
   */
  onAppended(listener: (spaceId: string, feedsKnowledge: boolean) => void): () => void;
  /**
   * The position up to which a space's events are to go, so that what is left keeps to a bound; 0: none.
   * Where many are to go it may be that of the first of them: ask again once these are removed.
   */
  beyond(spaceId: string, bound: EventBound): Promise<number>;
  /**
   * Removes some of a space's events up to this position, in one small step. Their identities stay known, so
   * that they are not kept again. Gives how many were removed; 0 when none is left there.
   */
  removeSome(spaceId: string, through: number): Promise<number>;
  /**
   * Removes the events of a space whose row is gone, in the background and in small steps; survives a
   * restart. Nothing may be appended to the space any more.
   */
  removeSpace(spaceId: string): void;
}

/** The attributes of an accepted event that statistics count. */
export interface EventKind {
  readonly type: string;
  readonly source: string;
}

const IDENTITY_BYTES = 16;

/**
 * The fingerprint of an event's identity (space, source, id): 16 bytes, as a string with one
 * character (U+0000–U+00FF, `latin1`) a byte. Equal fingerprints mean the same event: two different
 * ones would have to collide in 128 bits of SHA-256, which cannot be brought about on purpose.
 *
 * The lengths stand before the values, so that what is compared is three values: joined by any
 * separator, `("a b", "c")` and `("a", "b c")` would be one event, and the second would be lost.
 *
 * @param spaceId, source, id well-formed strings (no lone surrogates), of any length.
 */
export function identityOf(spaceId: string, source: string, id: string): string {
  const text = `${spaceId.length}:${source.length}:${spaceId}${source}${id}`;
  return hash('sha256', text, 'latin1').slice(0, IDENTITY_BYTES);
}
