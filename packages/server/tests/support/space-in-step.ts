import assert from 'node:assert/strict';
import type { Document } from '@gatehouse/contract';
import type { Client } from './client.ts';
import { type DocumentNews, sendDocumentEvents, whenLookedAt } from './document-events.ts';
import { untilRead } from './knowledge.ts';
import { makeSpace } from './provision.ts';

/** A space of its own, and another system that tells it of its documents. */
export async function newSpaceInStep(client: Client, session: string) {
  const { id: spaceId } = await makeSpace(client, session);
  const path = `/spaces/${spaceId}/documents`;
  /** Sends news and waits until the last of each subject was looked at and read. */
  const tell = async (...news: DocumentNews[]) => {
    const ids = await sendDocumentEvents(client, session, spaceId, news);
    const last = new Map(news.map(({ subject }, index) => [subject, ids[index]]));
    const looked = [];
    for (const [subject, id] of last)
      looked.push(await whenLookedAt(client, session, spaceId, subject, id));
    await untilRead(client, session, spaceId);
    return looked;
  };
  const documents = async () =>
    (await client(`${path}?limit=200`, { as: session })).json['items'] as Document[];
  const found = async (query: string, as = session) => {
    const answer = await client(`/spaces/${spaceId}/search`, { as, body: { query } });
    assert.equal(answer.status, 200, answer.text);
    return (answer.json['items'] as { text: string }[]).map(({ text }) => text);
  };
  return { spaceId, path, tell, documents, found };
}
