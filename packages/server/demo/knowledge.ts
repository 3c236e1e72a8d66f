import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

const INDEXING_TIMEOUT_MS = 30_000;
export const QUESTION = 'refund after 30 days';

interface ExampleDocument {
  readonly file: string;
  readonly metadata: object;
}

export interface Found {
  readonly fileName: string;
  readonly heading: string | null;
  readonly snippet: string;
}

export interface Target {
  readonly send: Client;
  readonly url: string;
  readonly spaceId: string;
  readonly apiKey: string;
}

/** Uploads the files of a folder with their metadata and waits until all are indexed. */
export async function loadDocuments(target: Target, folder: string): Promise<ExampleDocument[]> {
  const { send, url, spaceId, apiKey } = target;
  const index = readFileSync(join(folder, 'index.json'), 'utf8');
  const documents = JSON.parse(index) as ExampleDocument[];
  for (const { file, metadata } of documents) {
    const form = new FormData();
    form.set('file', new File([readFileSync(join(folder, file))], file));
    form.set('metadata', JSON.stringify(metadata));
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await fetch(`${url}/spaces/${spaceId}/documents`, {
      method: 'POST',
      headers,
      body: form,
    });
    if (!answer.ok) throw new Error(`${file} was rejected: ${await answer.text()}`);
  }
  const deadline = performance.now() + INDEXING_TIMEOUT_MS;
  for (;;) {
    const processing = await send('GET', `/spaces/${spaceId}/documents?state=processing`, apiKey);
    if ((processing['items'] as unknown[]).length === 0) return documents;
    if (performance.now() > deadline) throw new Error('the documents were not indexed in time');
    await sleep(50);
  }
}

/** Creates a link, exchanges the link for a session as the widget does, and searches with that session. */
export async function searchAs(
  { send, spaceId, apiKey }: Target,
  link: string,
  question = QUESTION,
): Promise<Found[]> {
  const { token } = await send('POST', '/assistant-link', apiKey, link);
  const exchange = JSON.stringify({ linkToken: token });
  const { accessToken } = await send('POST', '/assistant-link/exchange', null, exchange);
  const query = JSON.stringify({ query: question, limit: 3 });
  const answer = await send('POST', `/spaces/${spaceId}/search`, String(accessToken), query);
  return answer['items'] as Found[];
}
