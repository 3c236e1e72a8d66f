import assert from 'node:assert/strict';
import type { Crawl, CrawlPage } from '@gatehouse/contract';
import type { Client } from '../http/client.ts';
import { until } from '../until.ts';

/** Returns operations on the crawls of a space. `as` must have edit rights. */
export function crawlsOf(client: Client, as: string, spaceId: string) {
  const path = `/spaces/${spaceId}/crawls`;
  async function show(id: string): Promise<Crawl> {
    const answer = await client(`${path}/${id}`, { as });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as unknown as Crawl;
  }
  return {
    path,
    show,
    async create(definition: object): Promise<Crawl> {
      const body = { name: 'Site', delayMs: 0, defaultMetadata: {}, ...definition };
      const answer = await client(path, { as, body });
      assert.equal(answer.status, 201, answer.text);
      return answer.json as unknown as Crawl;
    },
    async change(id: string, change: object): Promise<void> {
      const answer = await client(`${path}/${id}`, { method: 'PATCH', as, body: change });
      assert.equal(answer.status, 200, answer.text);
    },
    async start(id: string): Promise<void> {
      const answer = await client(`${path}/${id}/start`, { method: 'POST', as });
      assert.equal(answer.status, 202, answer.text);
    },
    async untilEnded(id: string): Promise<Crawl> {
      await until('the run has ended', async () => (await show(id)).state === 'idle');
      return show(id);
    },
    /** Starts a run and waits until it has ended. */
    async run(id: string): Promise<Crawl> {
      await this.start(id);
      return this.untilEnded(id);
    },
    async pages(id: string, query = ''): Promise<CrawlPage[]> {
      const answer = await client(`${path}/${id}/pages?limit=200${query}`, { as });
      assert.equal(answer.status, 200, answer.text);
      return answer.json['items'] as CrawlPage[];
    },
    /** Waits until the documents of the space have these URLs, and returns them. */
    async untilDocuments(urls: readonly string[]): Promise<StoredDocument[]> {
      let items: StoredDocument[] = [];
      await until(`the documents are ${urls.join()}`, async () => {
        const answer = await client(`/spaces/${spaceId}/documents?limit=200`, { as });
        items = answer.json['items'] as StoredDocument[];
        const found = items.map(({ url }) => url).toSorted();
        return (
          JSON.stringify(found) === JSON.stringify([...urls].toSorted()) &&
          items.every(({ state }) => state !== 'processing')
        );
      });
      return items;
    },
  };
}

export interface StoredDocument {
  readonly id: string;
  readonly url: string;
  readonly state: string;
  readonly metadata: object;
  readonly title: string;
  readonly updatedAt: string;
}
