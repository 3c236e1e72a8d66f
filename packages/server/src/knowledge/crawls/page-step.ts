import type { Term } from '../../storage/ports/index.ts';
import { createCrawlRepository } from './crawl.repository.ts';
import { subjectOf, upsertedEvent } from './crawl-event.rules.ts';
import {
  createCrawlPageRepository,
  packLinks,
  queuePages,
  type StoredPage,
  unpackLinks,
  updatePages,
} from './crawl-page.repository.ts';
import { digestOf, isIncluded, metadataOf, propertiesDigest } from './definition.rules.ts';
import {
  type CrawlStepsDeps,
  MAX_ATTEMPTS,
  MAX_PAUSE_MS,
  type RunStep,
  retryDelay,
  type Site,
} from './run.ts';
import { SiteFailure } from './site/site-files.ts';
import { isSameHost } from './site/url.rules.ts';
import { type Visit, visit } from './site/visit.ts';

/** Number of consecutive requests without a usable answer after which the run fails. */
const MAX_UNANSWERED = 20;

interface PageRun extends RunStep {
  readonly site: Site;
  readonly page: StoredPage;
}

type Settled = Exclude<Visit, { kind: 'unavailable' }>;

/** Visits one queued page and stores the result. */
export class PageStep {
  readonly #deps: CrawlStepsDeps;
  readonly #term: Term;
  readonly #crawls;
  readonly #pages;

  constructor(deps: CrawlStepsDeps, term: Term) {
    this.#deps = deps;
    this.#term = term;
    this.#crawls = createCrawlRepository(deps.engine.db);
    this.#pages = createCrawlPageRepository(deps.engine.db);
  }

  /**
   * Returns `false` if no request was necessary.
   *
   * @throws SiteFailure if the start page cannot be read, or if the site no longer answers.
   */
  async perform(run: PageRun): Promise<boolean> {
    const { crawl, definition, page, site, signal } = run;
    if (!site.robots.mayRead(page.url)) {
      const reason = 'robots.txt forbids the page';
      await this.#settle(run, { kind: 'excluded', reason, links: [], status: null, received: 0 });
      return false;
    }
    const isKnown =
      page.digest !== null &&
      page.properties === propertiesDigest(definition, page.url) &&
      (await this.#pages.hasDocument(crawl.space_id, subjectOf(crawl, page.url)));
    const { etag, last_modified: lastModified } = page;
    const visited = await visit(this.#deps.clients.of(crawl.space_id), {
      url: page.url,
      known: isKnown ? { etag, lastModified } : null,
      now: this.#deps.clock(),
      signal,
    });
    if (visited.kind === 'unavailable') await this.#postpone(run, visited);
    else {
      site.unanswered = 0;
      await this.#settle(run, visited, isKnown);
    }
    return true;
  }

  /** Queues the page for a later attempt, or gives up. The document of the page is kept. */
  async #postpone(run: PageRun, visited: Extract<Visit, { kind: 'unavailable' }>): Promise<void> {
    const { crawl, page, site } = run;
    const attempts = page.attempts + 1;
    const { reason, status, received, retryAfterMs } = visited;
    site.unanswered += 1;
    if (site.unanswered >= MAX_UNANSWERED)
      throw new SiteFailure(`the site no longer answers; the last problem: ${reason}`, false);
    if (attempts >= MAX_ATTEMPTS) {
      await this.#settle(run, { kind: 'failed', reason, status, received });
      return;
    }
    const now = this.#deps.clock();
    const due_at = now + retryDelay(this.#deps, attempts);
    const pause = Math.min(MAX_PAUSE_MS, retryAfterMs ?? 0);
    const paused_until = pause === 0 ? 0 : now + pause;
    await this.#crawls.commit(crawl, this.#term.fence, { paused_until }, (trx) =>
      updatePages(trx, crawl, [page.url], { attempts, due_at }),
    );
  }

  async #settle(run: PageRun, visited: Settled, isKnown = false): Promise<void> {
    const { crawl, definition, page, site, progress } = run;
    if (page.depth === 0 && definition.startUrl !== null)
      refuseUnusableStart(page.url, visited, run);
    const { links, ...columns } = await this.#changeOf(run, visited, isKnown);
    const follows = definition.sitemapUrl === null || visited.kind === 'alias';
    const nextDepth = visited.kind === 'alias' ? page.depth : page.depth + 1;
    const wanted =
      !follows || nextDepth > definition.maxDepth
        ? []
        : links.filter(
            (url) =>
              !site.found.has(url) && isSameHost(url, page.url) && isIncluded(definition, url),
          );
    const room = Math.max(0, definition.maxPages - site.found.size);
    const queued = wanted.slice(0, room);
    const next = {
      ...progress,
      bytes: progress.bytes + visited.received,
      isLimited: progress.isLimited || wanted.length > room,
    };
    const { fence } = this.#term;
    await this.#crawls.commit(crawl, fence, { progress: JSON.stringify(next) }, async (trx) => {
      await updatePages(trx, crawl, [page.url], {
        ...columns,
        links: packLinks(links),
        status: visited.status,
        fetched_at: this.#deps.clock(),
      });
      await queuePages(trx, crawl, nextDepth, queued);
    });
    for (const url of queued) site.found.add(url);
  }

  /** Returns the changes of the row, after the event about the page was appended. `links` are the links to follow. */
  async #changeOf(run: PageRun, visited: Settled, isKnown: boolean) {
    const { page, definition } = run;
    // The links of the last successful visit count as links of a page that cannot be read now.
    const before = () => unpackLinks(page.links);
    switch (visited.kind) {
      case 'unchanged':
        return { result: 'unchanged', reason: null, links: before() } as const;
      case 'gone':
        return { result: 'gone', reason: null, links: [] as string[] } as const;
      case 'failed':
        return { result: 'failed', reason: visited.reason, links: before() } as const;
      case 'alias': {
        const { target, reason } = visited;
        return { result: 'alias', reason: `${reason}: ${target}`, links: [target] } as const;
      }
      case 'excluded':
        return { result: 'excluded', reason: visited.reason, links: visited.links } as const;
      case 'document':
        if (!isIncluded(definition, page.url))
          return {
            result: 'excluded',
            reason: 'the patterns exclude the page',
            links: visited.links,
          } as const;
        return this.#send(run, visited, isKnown);
    }
  }

  async #send(
    { crawl, definition, page }: PageRun,
    { data, links, etag, lastModified }: Extract<Visit, { kind: 'document' }>,
    isKnown: boolean,
  ) {
    const properties = propertiesDigest(definition, page.url);
    const digest = digestOf(JSON.stringify(data), properties);
    const isSame = isKnown && digest === page.digest;
    if (!isSame) {
      // Stored before the event is sent. Otherwise a crash could leave a document that no later run removes. The commit fails if the
      // lease was lost or a person changed the crawl during the request, because then a newer event about the page may exist. `append`
      // checks neither, so a change in the moment between the two statements is not noticed.
      await this.#crawls.commit(crawl, this.#term.fence, null, (trx) =>
        updatePages(trx, crawl, [page.url], { has_document: 1 }),
      );
      const sent = { ...data, url: page.url, metadata: metadataOf(definition, page.url) };
      const now = this.#deps.clock();
      await this.#deps.events.append([
        upsertedEvent(crawl, { url: page.url, digest, data: sent }, now),
      ]);
    }
    return {
      result: isSame ? 'unchanged' : 'sent',
      reason: null,
      has_document: 1,
      digest,
      properties,
      etag,
      last_modified: lastModified,
      links,
    } as const;
  }
}

/** Throws if the start page cannot be read: every page would look as if it were no longer linked. */
function refuseUnusableStart(url: string, visited: Settled, { site }: PageRun): void {
  if (visited.kind === 'gone')
    throw new SiteFailure(`the site answered the start page with status ${visited.status}`, false);
  if (visited.kind === 'failed') throw new SiteFailure(`the start page: ${visited.reason}`, false);
  if (visited.kind === 'excluded' && !site.robots.mayRead(url))
    throw new SiteFailure('robots.txt forbids the start page', false);
}
