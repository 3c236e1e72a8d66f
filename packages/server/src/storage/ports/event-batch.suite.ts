import type { EventBatch, EventPage, EventQuery, EventStore } from './event-store.ts';
import { identityOf } from './event-store.ts';

export interface SentEvent {
  readonly id: string;
  readonly source?: string;
  readonly type?: string;
  readonly subject?: string;
  readonly data?: unknown;
}

const SOURCE = 'https://example.com/orders';
const RECEIVED_AT = Date.UTC(2026, 9, 18, 9, 30);

export function textOf({ id, source = SOURCE, type = 'order.placed', ...rest }: SentEvent): string {
  return JSON.stringify({ specversion: '1.0', id, source, type, ...rest });
}

export function batchOf(
  spaceId: string,
  events: readonly SentEvent[],
  receivedAt = RECEIVED_AT,
): EventBatch {
  return batchOfTexts(
    spaceId,
    events.map((event) => ({ ...event, text: textOf(event) })),
    receivedAt,
  );
}

export function batchOfTexts(
  spaceId: string,
  events: readonly { id: string; source?: string; text: string }[],
  receivedAt = RECEIVED_AT,
): EventBatch {
  const texts = events.map(({ text }) => new TextEncoder().encode(text));
  let end = 0;
  return {
    spaceId,
    receivedAt,
    texts: new Uint8Array(Buffer.concat(texts)),
    ends: Uint32Array.from(texts, (text) => {
      end += text.byteLength;
      return end;
    }),
    identities: events.map(({ source = SOURCE, id }) => identityOf(spaceId, source, id)).join(''),
  };
}

export function numbered(from: number, to: number, prefix = 'e'): SentEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({ id: `${prefix}${from + index}` }));
}

/** Reads all pages from `query.after`, by default from the start of the log. */
export async function pagesOf(
  store: EventStore,
  query: Partial<EventQuery> & { spaceId: string },
): Promise<EventPage[]> {
  const pages: EventPage[] = [];
  let page: EventPage;
  let after = query.after ?? 0;
  do {
    page = await store.read({ limit: 100, ...query, after });
    after = page.through;
    pages.push(page);
  } while (page.more);
  return pages;
}

export async function idsOf(
  store: EventStore,
  query: Partial<EventQuery> & { spaceId: string },
): Promise<string[]> {
  const pages = await pagesOf(store, query);
  return pages.flatMap(({ events }) => events.map(({ text }) => String(JSON.parse(text).id)));
}
