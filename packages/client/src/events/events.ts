import type { QueryOf } from '../api.ts';
import { randomKey } from '../http/random-key.ts';

/** A CloudEvent as it was accepted. Further members are extension attributes. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time?: string;
  readonly datacontenttype?: string;
  readonly dataschema?: string;
  readonly data?: unknown;
  readonly [attribute: string]: unknown;
}

/** An event to send. */
export interface NewEvent {
  /** Default `1.0`. */
  readonly specversion?: '1.0' | undefined;
  /** Identifier of the event, unique within `source`. Default: a random identifier. */
  readonly id?: string | undefined;
  /** Absolute URI of the context in which the event happened. */
  readonly source: string;
  readonly type: string;
  readonly subject?: string | undefined;
  /** Time in UTC, such as `2026-10-18T09:30:00Z`. */
  readonly time?: string | undefined;
  readonly data?: unknown;
  readonly [attribute: string]: unknown;
}

/** An event in the feed. */
export interface FeedItem {
  readonly event: CloudEvent;
  /** Time at which the event was accepted. */
  readonly receivedAt: string;
}

export interface FeedPage {
  readonly items: readonly FeedItem[];
  readonly next: string | null;
  /** Cursor after this page. `null`: no event has been accepted yet. */
  readonly resume: string | null;
}

/** An event of the live stream. */
export interface StreamedEvent extends FeedItem {
  /** Cursor after this event, for `after`. */
  readonly cursor: string;
  /** JSON text of the event as it was accepted. Numbers in `event` may be rounded. */
  readonly text: string;
}

export type StreamQuery = QueryOf<'GET /events/stream'>;

/** Adds the members that an event may omit. */
export function toEvent(event: NewEvent): CloudEvent {
  return { specversion: '1.0', ...event, id: event.id ?? randomKey() } as CloudEvent;
}
