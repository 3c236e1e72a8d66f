import {
  DOCUMENT_DELETED,
  DOCUMENT_UPSERTED,
  type DocumentEvent,
  type DocumentEventState,
} from '@gatehouse/contract';
import { type ListRequest, type Page, readCursor, readLimit, toPage } from '../../http/index.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { parse } from '../../lib/json/index.ts';
import type { EventStore } from '../../storage/ports/index.ts';
import type { ApplyEvent } from './apply-event.service.ts';
import { eventGone, noSuchEvent } from './document-event.errors.ts';
import type { DocumentEventRepository, ShownEvent } from './document-event.repository.ts';

export interface RetryResult {
  readonly applied: number;
  readonly failed: number;
  readonly next: string | null;
}

/** Results of document events. Each subject has only the result of its newest event. */
export interface DocumentEvents {
  list(
    space: SpaceAccess,
    request: ListRequest & { readonly state?: DocumentEventState },
  ): Promise<Page<DocumentEvent>>;
  /** Throws 404 `knowledge.event-not-found`. */
  show(space: SpaceAccess, id: string): Promise<DocumentEvent>;
  /** Retries a failed event and returns its result. Throws 404, or 409 if the event is past the space's retention. */
  retry(space: SpaceAccess, id: string): Promise<DocumentEvent>;
  retryFailed(space: SpaceAccess, request: ListRequest): Promise<RetryResult>;
}

export interface DocumentEventsDeps {
  readonly events: DocumentEventRepository;
  readonly store: Pick<EventStore, 'read'>;
  readonly apply: ApplyEvent;
}

export function createDocumentEvents({ events, store, apply }: DocumentEventsDeps): DocumentEvents {
  async function find({ spaceId }: SpaceAccess, id: string): Promise<ShownEvent> {
    const row = await events.find(spaceId, id.toLowerCase());
    if (row === undefined) throw noSuchEvent();
    return row;
  }

  /** Applies an event again. Returns `false` if it fails, and null if it is past the space's retention. */
  async function reapply({ space_id: spaceId, position }: ShownEvent): Promise<boolean | null> {
    const { events } = await store.read({ spaceId, after: position - 1, limit: 1 });
    const [event] = events;
    if (event === undefined || event.position !== position) return null;
    return (await apply(spaceId, event)) !== 'failed';
  }

  return {
    async list({ spaceId }, { limit, after, state }) {
      const count = readLimit(limit);
      const rows = await events.list(spaceId, {
        after: readCursor(after),
        count: count + 1,
        ...(state === undefined ? {} : { state }),
      });
      return toPage(rows, count, (row) => row.id, toDocumentEvent);
    },
    show: async (space, id) => toDocumentEvent(await find(space, id)),
    async retry(space, id) {
      const row = await find(space, id);
      if (row.state === 'failed' && (await reapply(row)) === null) throw eventGone();
      return toDocumentEvent(await find(space, id));
    },
    async retryFailed({ spaceId }, { limit, after }) {
      const count = readLimit(limit);
      const request = { after: readCursor(after), count: count + 1, state: 'failed' } as const;
      const { items, next } = toPage(await events.list(spaceId, request), count, (row) => row.id);
      let applied = 0;
      for (const row of items) if (await reapply(row)) applied += 1;
      return { applied, failed: items.length - applied, next };
    },
  };
}

function toDocumentEvent(row: ShownEvent): DocumentEvent {
  return {
    id: row.id,
    spaceId: row.space_id,
    subject: row.subject,
    documentId: row.document_id,
    type: row.type === 'upserted' ? DOCUMENT_UPSERTED : DOCUMENT_DELETED,
    eventId: row.event_id,
    source: row.source,
    receivedAt: new Date(row.received_at).toISOString(),
    state: row.state,
    failure: row.failure === null ? null : (parse(row.failure) as DocumentEvent['failure']),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
