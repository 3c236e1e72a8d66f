import assert from 'node:assert/strict';
import { DOCUMENT_DELETED, DOCUMENT_UPSERTED, type Document } from '@gatehouse/contract';
import type { Client } from './client.ts';
import { documentEvents } from './document-events.ts';
import type { SentEvent } from './events.ts';
import { untilRead } from './knowledge.ts';
import { until } from './until.ts';

/** A document as an event says it is. Its file is named after its subject. */
export interface Said {
  readonly fileName: string;
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface DocumentEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Partial<Said>;
}

function documentEventsIn(feed: readonly SentEvent[]): DocumentEvent[] {
  return (feed as unknown as DocumentEvent[]).filter(
    ({ type }) => type === DOCUMENT_UPSERTED || type === DOCUMENT_DELETED,
  );
}

/** What the feed says that there is, by file names: its events one after the other. Those without a text are no good. */
export function documentsSaid(feed: readonly SentEvent[]): Map<string, Said> {
  const documents = new Map<string, Said>();
  for (const { type, subject, data } of documentEventsIn(feed)) {
    const fileName = `${subject}.txt`;
    if (type === DOCUMENT_DELETED) documents.delete(fileName);
    else if (data.text !== undefined)
      documents.set(fileName, { fileName, text: data.text, metadata: data.metadata ?? {} });
  }
  return documents;
}

/**
 * Waits until the newest event of every subject was looked at and every text read; then there must be
 * exactly the documents that the feed says.
 *
 * @param others names of files that came in another way.
 */
export async function assertInStep(
  client: Client,
  as: string,
  spaceId: string,
  feed: readonly SentEvent[],
  others: readonly string[] = [],
): Promise<void> {
  const newest = new Map(documentEventsIn(feed).map(({ subject, id }) => [subject, id]));
  await until('the documents are in step', async () => {
    const looked = await documentEvents(client, as, spaceId);
    const ids = new Map(looked.map(({ subject, eventId }) => [subject, eventId]));
    return [...newest].every(([subject, id]) => ids.get(subject) === id);
  });
  await untilRead(client, as, spaceId);
  const shown = (await documentsOf(client, as, spaceId)).filter(
    ({ fileName }) => !others.includes(fileName),
  );
  const found = new Map<string, Said>();
  for (const { id, fileName, metadata, state } of shown) {
    assert.equal(state, 'ready', fileName);
    const { text } = await client(`/spaces/${spaceId}/documents/${id}/content`, { as });
    found.set(fileName, { fileName, text, metadata });
  }
  assert.equal(found.size, shown.length, 'a subject has two documents');
  assert.deepEqual(found, documentsSaid(feed));
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
