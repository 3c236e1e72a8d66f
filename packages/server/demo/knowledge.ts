import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

const READ_WITHIN_MS = 30_000;
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

/** Where the demo's space is, and how to speak to it. */
export interface Place {
  readonly send: Client;
  readonly url: string;
  readonly spaceId: string;
  readonly apiKey: string;
}

/** Uploads the files of a folder, each with its metadata, and waits until all are read. */
export async function loadDocuments(place: Place, folder: string): Promise<ExampleDocument[]> {
  const { send, url, spaceId, apiKey } = place;
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
    if (!answer.ok) throw new Error(`${file} was not taken: ${await answer.text()}`);
  }
  const deadline = performance.now() + READ_WITHIN_MS;
  for (;;) {
    const unread = await send('GET', `/spaces/${spaceId}/documents?state=processing`, apiKey);
    if ((unread['items'] as unknown[]).length === 0) return documents;
    if (performance.now() > deadline) throw new Error('the documents are not read in time');
    await sleep(50);
  }
}

/** Makes a link, exchanges it as its widget would, and searches with what that gives. */
export async function searchAs({ send, spaceId, apiKey }: Place, link: string): Promise<Found[]> {
  const { token } = await send('POST', '/assistant-link', apiKey, link);
  const exchange = JSON.stringify({ linkToken: token });
  const { accessToken } = await send('POST', '/assistant-link/exchange', null, exchange);
  const query = JSON.stringify({ query: QUESTION, limit: 3 });
  const answer = await send('POST', `/spaces/${spaceId}/search`, String(accessToken), query);
  return answer['items'] as Found[];
}
