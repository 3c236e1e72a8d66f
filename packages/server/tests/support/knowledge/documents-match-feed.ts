import assert from 'node:assert/strict';
import { DOCUMENT_DELETED, DOCUMENT_UPSERTED, type Document } from '@gatehouse/contract';
import type { SentEvent } from '../events/events.ts';
import type { Client } from '../http/client.ts';
import { until } from '../until.ts';
import { documentEvents } from './document-events.ts';
import { untilIndexed } from './knowledge.ts';

/** The document that an event describes. The file name is derived from the subject. */
export interface FeedDocument {
  readonly fileName: string;
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface DocumentEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Partial<FeedDocument>;
}

function documentEventsIn(feed: readonly SentEvent[]): DocumentEvent[] {
  return (feed as unknown as DocumentEvent[]).filter(
    ({ type }) => type === DOCUMENT_UPSERTED || type === DOCUMENT_DELETED,
  );
}

/**
 * Returns the documents that the events of the feed produce, by file name. Document events without a text are invalid
 * and have no effect.
 */
export function documentsInFeed(feed: readonly SentEvent[]): Map<string, FeedDocument> {
  const documents = new Map<string, FeedDocument>();
  for (const { type, subject, data } of documentEventsIn(feed)) {
    const fileName = `${subject}.txt`;
    if (type === DOCUMENT_DELETED) documents.delete(fileName);
    else if (data.text !== undefined)
      documents.set(fileName, { fileName, text: data.text, metadata: data.metadata ?? {} });
  }
  return documents;
}

/**
 * Waits until all events of the feed are handled and all documents are indexed, and asserts that the documents match
 * the feed.
 *
 * @param others names of files that were not added by events.
 */
export async function assertDocumentsMatchFeed(
  client: Client,
  as: string,
  spaceId: string,
  feed: readonly SentEvent[],
  others: readonly string[] = [],
): Promise<void> {
  const newest = new Map(documentEventsIn(feed).map(({ subject, id }) => [subject, id]));
  await until('all document events are handled', async () => {
    const handled = await documentEvents(client, as, spaceId);
    const ids = new Map(handled.map(({ subject, eventId }) => [subject, eventId]));
    return [...newest].every(([subject, id]) => ids.get(subject) === id);
  });
  await untilIndexed(client, as, spaceId);
  const shown = (await documentsOf(client, as, spaceId)).filter(
    ({ fileName }) => !others.includes(fileName),
  );
  const found = new Map<string, FeedDocument>();
  for (const { id, fileName, metadata, state } of shown) {
    assert.equal(state, 'ready', fileName);
    const { text } = await client(`/spaces/${spaceId}/documents/${id}/content`, { as });
    found.set(fileName, { fileName, text, metadata });
  }
  assert.equal(found.size, shown.length, 'a subject has two documents');
  assert.deepEqual(found, documentsInFeed(feed));
}

async function documentsOf(client: Client, as: string, spaceId: string): Promise<Document[]> {
  const documents: Document[] = [];
  for (let after = ''; ; ) {
    const path = `/spaces/${spaceId}/documents?limit=200${after}`;
    const { status, text, json } = await client(path, { as });
    assert.equal(status, 200, text);
    documents.push(...(json['items'] as Document[]));
    if (json['next'] === null) return documents;
    after = `&after=${json['next']}`;
  }
}
