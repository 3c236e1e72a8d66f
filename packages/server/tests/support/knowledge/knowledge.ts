import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../http/client.ts';

/** Calls `act` for each item with limited concurrency. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of waiting) await act(item);
    }),
  );
}

export async function untilIndexed(client: Client, as: string, spaceId: string): Promise<void> {
  for (let wait = 0; wait < 1200; wait++) {
    const answer = await client(`/spaces/${spaceId}/documents?state=processing&limit=1`, { as });
    assert.equal(answer.status, 200, answer.text);
    if ((answer.json['items'] as unknown[]).length === 0) return;
    await sleep(100);
  }
  assert.fail('the documents were not indexed within two minutes');
}

export interface Uploaded {
  readonly id: string;
  readonly state: string;
  readonly failure: string | null;
}

export async function addDocument(
  client: Client,
  as: string,
  spaceId: string,
  document: object,
): Promise<Uploaded> {
  const path = `/spaces/${spaceId}/documents`;
  const answer = await client(path, { as, body: document });
  assert.ok(answer.status === 201 || answer.status === 200, answer.text);
  return untilDocumentIndexed(client, as, `${path}/${answer.json['id']}`);
}

export async function untilDocumentIndexed(
  client: Client,
  as: string,
  path: string,
): Promise<Uploaded> {
  for (let wait = 0; wait < 2400; wait++) {
    const shown = await client(path, { as });
    assert.equal(shown.status, 200, shown.text);
    if (shown.json['state'] !== 'processing') return shown.json as unknown as Uploaded;
    await sleep(50);
  }
  return assert.fail('the document was not indexed within two minutes');
}
