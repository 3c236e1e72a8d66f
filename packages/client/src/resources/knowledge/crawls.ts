import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  Crawl,
  CrawlChange,
  CrawledPagePage,
  CrawledPageQuery,
  CrawlPage,
  ListQuery,
  NewCrawl,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Crawls of sites and sitemaps, whose pages become documents. */
export class Crawls extends Resource {
  /**
   * Crawls a site and starts the first run.
   *
   * @example
   * const { id } = await gatehouse.crawls.create({
   *   name: 'Help pages',
   *   startUrl: 'https://shop.example/help/',
   *   include: ['/help/*'],
   *   metadata: [{ pattern: '/help/staff/*', metadata: { audience: ['staff'] } }],
   *   defaultMetadata: { audience: ['customer', 'staff'] },
   *   everyHours: 24,
   * });
   */
  create(crawl: NewCrawl, options?: CreateOptions): Promise<Crawl> {
    return this.api.send('POST! /spaces/{spaceId}/crawls', { body: crawl }, options);
  }

  /**
   * Lists crawls, oldest first.
   *
   * @example
   * for await (const { name, state, documents } of gatehouse.crawls.list()) {
   *   console.log(name, state, documents);
   * }
   */
  list(query?: ListQuery, options?: RequestOptions): List<CrawlPage> {
    return this.api.list('GET /spaces/{spaceId}/crawls', { query }, options);
  }

  /**
   * Returns a crawl with the progress of its run.
   *
   * @example
   * const { state, pages } = await gatehouse.crawls.get(crawlId);
   * console.log(state, pages.queued, pages.failed);
   */
  get(crawlId: string, options?: RequestOptions): Promise<Crawl> {
    return this.api.send('GET /spaces/{spaceId}/crawls/{crawlId}', { params: [crawlId] }, options);
  }

  /**
   * Changes a crawl. Omitted members keep their values. A run in progress starts again.
   *
   * @example
   * await gatehouse.crawls.update(crawlId, { everyHours: 12 });
   */
  update(crawlId: string, change: CrawlChange, options?: RequestOptions): Promise<Crawl> {
    const input = { params: [crawlId], body: change } as const;
    return this.api.send('PATCH /spaces/{spaceId}/crawls/{crawlId}', input, options);
  }

  /**
   * Starts a run. Has no effect while a run is in progress.
   *
   * @example
   * await gatehouse.crawls.start(crawlId);
   */
  start(crawlId: string, options?: RequestOptions): Promise<Crawl> {
    const input = { params: [crawlId] } as const;
    return this.api.send('POST /spaces/{spaceId}/crawls/{crawlId}/start', input, options);
  }

  /**
   * Stops the run in progress. Removes nothing, and the schedule continues.
   *
   * @example
   * await gatehouse.crawls.stop(crawlId);
   */
  stop(crawlId: string, options?: RequestOptions): Promise<Crawl> {
    const input = { params: [crawlId] } as const;
    return this.api.send('POST /spaces/{spaceId}/crawls/{crawlId}/stop', input, options);
  }

  /**
   * Lists the pages of the current or last run, ordered by URL.
   *
   * @example
   * for await (const { url, reason } of gatehouse.crawls.listPages(crawlId, { result: 'failed' })) {
   *   console.log(url, reason);
   * }
   */
  listPages(
    crawlId: string,
    query?: CrawledPageQuery,
    options?: RequestOptions,
  ): List<CrawledPagePage> {
    const input = { params: [crawlId], query } as const;
    return this.api.list('GET /spaces/{spaceId}/crawls/{crawlId}/pages', input, options);
  }

  /**
   * Deletes a crawl and, in the background, its documents.
   *
   * @example
   * await gatehouse.crawls.delete(crawlId);
   */
  delete(crawlId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [crawlId] } as const;
    return this.api.send('DELETE /spaces/{spaceId}/crawls/{crawlId}', input, options);
  }
}
