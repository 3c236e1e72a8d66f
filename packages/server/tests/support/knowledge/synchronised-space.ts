import assert from 'node:assert/strict';
import type { Document } from '@gatehouse/contract';
import type { Client } from '../http/client.ts';
import { makeSpace } from '../provision.ts';
import { type DocumentChange, sendDocumentEvents, untilHandled } from './document-events.ts';
import { untilIndexed } from './knowledge.ts';

/** Creates a space whose documents are synchronised by events. */
export async function newSynchronisedSpace(client: Client, session: string) {
  const { id: spaceId } = await makeSpace(client, session);
  const path = `/spaces/${spaceId}/documents`;
  /** Sends changes and waits until the last event of each subject is handled and its document is indexed. */
  const sendChanges = async (...changes: DocumentChange[]) => {
    const ids = await sendDocumentEvents(client, session, spaceId, changes);
    const last = new Map(changes.map(({ subject }, index) => [subject, ids[index]]));
    const handled = [];
    for (const [subject, id] of last)
      handled.push(await untilHandled(client, session, spaceId, subject, id));
    await untilIndexed(client, session, spaceId);
    return handled;
  };
  const documents = async () =>
    (await client(`${path}?limit=200`, { as: session })).json['items'] as Document[];
  const found = async (query: string, as = session) => {
    const answer = await client(`/spaces/${spaceId}/search`, { as, body: { query } });
    assert.equal(answer.status, 200, answer.text);
    return (answer.json['items'] as { text: string }[]).map(({ text }) => text);
  };
  return { spaceId, path, sendChanges, documents, found };
}
