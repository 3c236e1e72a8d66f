import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { DOCUMENT_DELETED, DOCUMENT_UPSERTED, type DocumentEvent } from '@gatehouse/contract';
import { ingest, makeEvent, type SentEvent } from '../events/events.ts';
import type { Client } from '../http/client.ts';

/** A change of a document. Without `data` the document is deleted. */
export interface DocumentChange {
  readonly subject: string;
  readonly id?: string;
  readonly source?: string;
  readonly data?: unknown;
}

export function documentEvent({ data, ...attributes }: DocumentChange): SentEvent {
  return data === undefined
    ? makeEvent({ type: DOCUMENT_DELETED, ...attributes })
    : makeEvent({ type: DOCUMENT_UPSERTED, ...attributes, data });
}

export async function sendDocumentEvents(
  client: Client,
  as: string,
  spaceId: string,
  changes: readonly DocumentChange[],
): Promise<string[]> {
  const events = changes.map(documentEvent);
  const result = await ingest(client, { as, body: { events } }, `?spaceId=${spaceId}`);
  assert.deepEqual([result.failed, result.errors], [0, undefined]);
  return result.eventIds;
}

/** Waits until the newest event of a subject, or the event with the given ID, has been applied or has failed. */
export async function untilHandled(
  client: Client,
  as: string,
  spaceId: string,
  subject: string,
  eventId?: string,
): Promise<DocumentEvent> {
  for (let wait = 0; wait < 4800; wait += 1) {
    const found = (await documentEvents(client, as, spaceId)).find(
      (event) => event.subject === subject && (eventId === undefined || event.eventId === eventId),
    );
    if (found !== undefined) return found;
    await sleep(25);
  }
  return assert.fail(`no event about ${subject} was handled within two minutes`);
}

export async function documentEvents(
  client: Client,
  as: string,
  spaceId: string,
  query = '',
): Promise<DocumentEvent[]> {
  const items: DocumentEvent[] = [];
  for (let after = ''; ; ) {
    const path = `/spaces/${spaceId}/document-events?limit=200${query}${after}`;
    const { status, text, json } = await client(path, { as });
    assert.equal(status, 200, text);
    items.push(...(json['items'] as DocumentEvent[]));
    if (json['next'] === null) return items;
    after = `&after=${json['next']}`;
  }
}
