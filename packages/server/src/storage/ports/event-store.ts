import { hash } from 'node:crypto';

/**
 * Validated events of one space, ready to append. Event `n` is `texts.subarray(ends[n - 1] ?? 0, ends[n])`: UTF-8 JSON
 * exactly as the client sent it, without `auth`.
 */
export interface EventBatch {
  readonly spaceId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** `append` takes ownership and may transfer the buffer to another thread. */
  readonly texts: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Concatenated 16-byte identities, one per event, as a latin1 string. See `identityOf`. */
  readonly identities: string;
  /** True if at least one event changes documents. Default false. */
  readonly feedsKnowledge?: boolean;
}

export interface Appended {
  /** Number of new events. All other events of the call were duplicates. */
  readonly stored: number;
}

/** Conditions on event attributes. An event matches if it meets all of them. */
export interface EventFilter {
  readonly type?: string;
  readonly source?: string;
  readonly subject?: string;
  readonly typePrefix?: string;
  /** Accepted types. A trailing `*` matches a prefix; all other characters match exactly. */
  readonly types?: readonly string[];
  /** Accepted sources, with the same patterns as `types`. */
  readonly sources?: readonly string[];
}

const WILDCARD = '*';

export function literalOf(pattern: string): string {
  return pattern.endsWith(WILDCARD) ? pattern.slice(0, -WILDCARD.length) : pattern;
}

function matchesAny(patterns: readonly string[], value: unknown): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith(WILDCARD) ? String(value).startsWith(literalOf(pattern)) : value === pattern,
  );
}

/**
 * Reports whether an event meets every condition of a filter.
 *
 * @param event parsed JSON text of the event.
 *
 * @example
 * matchesFilter({ types: ['order.*'] }, { type: 'order.paid', source: 'shop' }); // true
 */
export function matchesFilter(
  filter: EventFilter,
  event: Readonly<Record<string, unknown>>,
): boolean {
  const { type, source, subject, typePrefix, types, sources } = filter;
  return (
    (types === undefined || matchesAny(types, event['type'])) &&
    (sources === undefined || matchesAny(sources, event['source'])) &&
    (type === undefined || event['type'] === type) &&
    (typePrefix === undefined || String(event['type']).startsWith(typePrefix)) &&
    (source === undefined || event['source'] === source) &&
    (subject === undefined || event['subject'] === subject)
  );
}

export interface EventQuery extends EventFilter {
  readonly spaceId: string;
  /** Exclusive start position. 0 reads from the start of the log. */
  readonly after: number;
  /** Exclusive end position. Default: the end of the log. */
  readonly before?: number;
  /** Maximum number of events; at least 1. */
  readonly limit: number;
  /** Skips all batches that were appended without `feedsKnowledge`. */
  readonly feedsKnowledge?: true;
  /** Earliest time of receipt, inclusive. Unix milliseconds. */
  readonly from?: number;
  /** Latest time of receipt, exclusive. Unix milliseconds. */
  readonly to?: number;
}

export interface StoredEvent {
  /** Position in the log of the space. Positions start at 1, increase, and are never reused. */
  readonly position: number;
  readonly receivedAt: number;
  /** JSON text exactly as the client sent it. */
  readonly text: string;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Last examined position. Pass it as `after` to read the next page. */
  readonly through: number;
  /** True if the log may contain events after `through`. */
  readonly more: boolean;
}

export type EventBound =
  /** Earliest time of receipt, inclusive. Unix milliseconds. */
  | { readonly since: number }
  /** Maximum size of the stored events, in bytes. */
  | { readonly bytes: number };

/** Result of erasing events from a part of the log. */
export interface ErasedEvents {
  readonly erased: number;
  /** Last examined position. Pass it as `after` to continue. */
  readonly through: number;
  /** True if the log may contain events after `through`. */
  readonly more: boolean;
}

/** The durable event log. Each space has its own log, which contains each event identity at most once. */
export interface EventStore {
  /**
   * Appends new events and ignores duplicates. All batches of a call are stored in one transaction. When the promise
   * resolves, the events are on disk and survive a power failure.
   *
   * Throws `StorageUnavailable` if the caller should retry. A retry is always safe, even if the failed call stored the
   * events.
   */
  append(batches: readonly EventBatch[]): Promise<Appended>;
  /**
   * Reads a page of events, oldest first. A page may be shorter than `limit`, or empty, even if there are more events.
   *
   * @example
   * let after = 0;
   * let page: EventPage;
   * do {
   *   page = await store.read({ spaceId, after, limit: 100, types: ['order.*'] });
   *   for (const { text } of page.events) console.log(text);
   *   after = page.through;
   * } while (page.more);
   */
  read(query: EventQuery): Promise<EventPage>;
  /** Returns the position of the newest event, or 0 if the space has never had an event. Retention does not lower it. */
  newest(spaceId: string): Promise<number>;
  /** Returns the newest position of every existing space that has ever had an event. */
  heads(): Promise<ReadonlyMap<string, number>>;
  /**
   * Calls `listener` after events were appended to a space. Notifications may be lost, so consumers must also poll.
   * Returns a function that unsubscribes.
   */
  onAppended(listener: (spaceId: string, feedsKnowledge: boolean) => void): () => void;
  /**
   * Returns the last position to remove so that the space meets a retention limit, or 0 if it already does. Retention
   * removes whole batches. The result may cover only part of the excess: remove the events up to this position, then
   * call again.
   */
  retentionCutoff(spaceId: string, bound: EventBound): Promise<number>;
  /**
   * Removes a limited number of the oldest events, at or before `through`. Returns the number of removed events, or 0 if
   * none are left. The store still treats these events as duplicates.
   */
  removeUpTo(spaceId: string, through: number): Promise<number>;
  /**
   * Erases the texts of the events with this `subject` in a part of the log after a position. The positions and the identities
   * remain: consumers and the feed skip the events, and the store ignores them if they are sent again. A repeated call has no effect.
   *
   * @param to exclusive upper bound of the time of receipt, in Unix milliseconds. Omitted: no limit.
   */
  eraseSubject(spaceId: string, subject: string, after: number, to?: number): Promise<ErasedEvents>;
  /**
   * Removes all events of a deleted space in the background. The removal continues after a restart. Do not append to
   * the space afterwards.
   */
  removeSpace(spaceId: string): void;
}

export interface EventKind {
  readonly type: string;
  readonly source: string;
}

const IDENTITY_BYTES = 16;

/**
 * Returns the identity of an event: the first 16 bytes of a SHA-256 hash, as a latin1 string with one character per
 * byte. Two events are duplicates if and only if their identities are equal; finding a collision is infeasible.
 *
 * The hash includes the lengths of the values. With a plain separator, `("a b", "c")` and `("a", "b c")` would be
 * duplicates.
 *
 * @param spaceId, source, ID strings without lone surrogates, of any length.
 */
export function identityOf(spaceId: string, source: string, id: string): string {
  const text = `${spaceId.length}:${source.length}:${spaceId}${source}${id}`;
  return hash('sha256', text, 'latin1').slice(0, IDENTITY_BYTES);
}
