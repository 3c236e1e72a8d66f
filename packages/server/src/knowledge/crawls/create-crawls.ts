import type { Clock } from '../../lib/scheduling/index.ts';
import type { EventStore, KnowledgeEngine, Leases } from '../../storage/ports/index.ts';
import { type Crawls, createCrawls } from './crawl.service.ts';
import { Crawler } from './crawler.ts';
import { createSiteClients, type SiteClientOptions } from './site/site-client.ts';

export interface CrawlModuleDeps {
  readonly engine: KnowledgeEngine;
  readonly events: Pick<EventStore, 'append'>;
  /** Leases that ensure that at most one process crawls. */
  readonly leases: Leases;
  readonly site: SiteClientOptions;
  readonly clock: Clock;
  /** Called when background work fails. The module retries the work. */
  readonly onError: (error: unknown) => void;
}

export interface CrawlModule extends AsyncDisposable {
  readonly crawls: Crawls;
  /** Starts the crawler. It resumes the unfinished runs of earlier processes. */
  start(): Promise<void>;
}

const RETRY_MS = 1000;

export function createCrawlModule(deps: CrawlModuleDeps): CrawlModule {
  const clients = createSiteClients(deps.site);
  const job = deps.leases.job('crawls', (term) =>
    Crawler.start({ ...deps, clients, retryMs: RETRY_MS }, term),
  );
  return {
    crawls: createCrawls({ ...deps, onChanged: (key) => job.notify(key) }),
    start: () => job.start(),
    async [Symbol.asyncDispose]() {
      await job[Symbol.asyncDispose]();
      await clients[Symbol.asyncDispose]();
    },
  };
}
