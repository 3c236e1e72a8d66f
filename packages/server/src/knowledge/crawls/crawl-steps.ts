import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from '../../lib/json/index.ts';
import type { Term } from '../../storage/ports/index.ts';
import { createCrawlRepository, type StoredCrawl, startedColumns } from './crawl.repository.ts';
import { deletedEvents, subjectOf } from './crawl-event.rules.ts';
import {
  createCrawlPageRepository,
  deleteOldPages,
  queuePages,
  updatePages,
} from './crawl-page.repository.ts';
import { type Definition, entryOf, isIncluded, propertiesDigest } from './definition.rules.ts';
import { PageStep } from './page-step.ts';
import { type Progress, toProgress } from './progress.rules.ts';
import {
  type CrawlStepsDeps,
  MAX_ATTEMPTS,
  MAX_PAUSE_MS,
  type RunStep,
  retryDelay,
  type Site,
} from './run.ts';
import { readRobots, readSitemaps, SiteFailure } from './site/site-files.ts';

const REMOVED_PER_STEP = 100;
/** Number of pages whose metadata is compared at a time. It takes about 5 ms of the event loop. */
const COMPARED_AT_ONCE = 1000;
/** Interval at which the crawler checks whether the documents of a deleted crawl are gone. */
const DELETING_MS = 500;

/**
 * Performs the steps of crawls during one term of the job. Each step does one request at most and stores its result, so a crash
 * repeats at most one request. A run has these phases: `start` (the first URLs), `pages` (the queue), `removing` (documents of
 * vanished pages). An event is appended before its page is marked, and its ID is the same when the page is read again.
 */
export class CrawlSteps {
  readonly #deps: CrawlStepsDeps;
  readonly #term: Term;
  readonly #crawls;
  readonly #pages;
  readonly #pageStep: PageStep;
  readonly #sites = new Map<string, Site>();
  /** Failed attempts to read `robots.txt` or a sitemap, by crawl. */
  readonly #failures = new Map<string, number>();

  constructor(deps: CrawlStepsDeps, term: Term) {
    this.#deps = deps;
    this.#term = term;
    this.#crawls = createCrawlRepository(deps.engine.db);
    this.#pages = createCrawlPageRepository(deps.engine.db);
    this.#pageStep = new PageStep(deps, term);
  }

  /**
   * Performs the next step.
   *
   * @returns milliseconds until the next step, or null if there is nothing to do.
   */
  async step(crawl: StoredCrawl, signal: AbortSignal): Promise<number | null> {
    const now = this.#deps.clock();
    if (crawl.state === 'deleting') return this.#delete(crawl);
    const definition = parse(crawl.definition) as Definition;
    if (crawl.state === 'idle') {
      if (crawl.next_run_at === null || crawl.next_run_at > now) return null;
      await this.#commit(crawl, startedColumns(crawl, definition.everyHours, now));
      return 0;
    }
    const pause = crawl.paused_until - now;
    // A longer pause was stored before the clock was set back.
    if (pause > 0 && pause <= MAX_PAUSE_MS) return pause;
    const progress = toProgress(crawl.progress);
    if (progress === null) return null;
    const run = { crawl, definition, progress, signal };
    if (progress.phase === 'removing') return this.#removeOutdated(run);
    try {
      return await this.#request(run);
    } catch (error) {
      if (!(error instanceof SiteFailure)) throw error;
      return this.#afterFailure(crawl, progress, error);
    }
  }

  /** Discards the facts about a crawl that no longer exists or no longer runs. */
  forget({ space_id, id }: Pick<StoredCrawl, 'space_id' | 'id'>): void {
    this.#sites.delete(`${space_id} ${id}`);
    this.#failures.delete(`${space_id} ${id}`);
  }

  async #request(run: RunStep): Promise<number> {
    const { crawl, definition, progress, signal } = run;
    const site = await this.#siteOf(crawl, definition, signal);
    const wait = Math.ceil(site.nextRequestAt - performance.now());
    if (wait > 0) return wait;
    if (progress.phase === 'start') return this.#begin(run, site);
    if (progress.bytes >= definition.maxBytes)
      return this.#enter(crawl, { ...progress, phase: 'removing', isLimited: true });
    const page = await this.#pages.next(
      crawl,
      this.#deps.clock(),
      retryDelay(this.#deps, MAX_ATTEMPTS),
    );
    if (page === undefined) {
      const earliest = await this.#pages.earliest(crawl);
      if (earliest !== null) return Math.max(1, earliest - this.#deps.clock());
      return this.#enter(crawl, { ...progress, phase: 'removing' });
    }
    const delay = Math.max(definition.delayMs, site.robots.delayMs);
    let isRequested = true;
    try {
      isRequested = await this.#pageStep.perform({ ...run, site, page });
    } finally {
      // The step is repeated if its result cannot be stored.
      if (isRequested) site.nextRequestAt = performance.now() + delay;
    }
    return isRequested ? delay : 0;
  }

  /** Reads `robots.txt`, once per run and process. */
  async #siteOf(crawl: StoredCrawl, definition: Definition, signal: AbortSignal): Promise<Site> {
    const key = `${crawl.space_id} ${crawl.id}`;
    const known = this.#sites.get(key);
    if (known?.run === crawl.run) return known;
    const robots = await readRobots(
      this.#deps.clients.of(crawl.space_id),
      entryOf(definition),
      signal,
    );
    const found = new Set(await this.#pages.found(crawl));
    const delay = Math.max(definition.delayMs, robots.delayMs);
    const nextRequestAt = performance.now() + delay;
    const site = { run: crawl.run, robots, found, nextRequestAt, unanswered: 0 };
    this.#sites.set(key, site);
    this.#failures.delete(key);
    return site;
  }

  async #begin({ crawl, definition, progress, signal }: RunStep, site: Site): Promise<number> {
    const { startUrl, sitemapUrl, maxPages } = definition;
    let urls: string[];
    let { bytes, isLimited } = progress;
    if (startUrl !== null) urls = [startUrl];
    else {
      const delay = Math.max(definition.delayMs, site.robots.delayMs);
      const wait = () => sleep(delay, undefined, { signal, ref: false });
      const read = await readSitemaps(this.#deps.clients.of(crawl.space_id), {
        url: sitemapUrl ?? '',
        robots: site.robots,
        signal,
        wait,
        isWanted: (page) => isIncluded(definition, page),
        maxPages,
      }).finally(() => {
        site.nextRequestAt = performance.now() + delay;
      });
      urls = [...read.pages];
      bytes += read.bytes;
      isLimited = read.isLimited;
      if (urls.length === 0)
        throw new SiteFailure('the sitemap lists no page that the crawl includes', false);
    }
    const queued = urls.slice(0, maxPages);
    const next: Progress = { ...progress, phase: 'pages', bytes, isLimited };
    await this.#commit(crawl, { progress: JSON.stringify(next) }, (trx) =>
      queuePages(trx, crawl, 0, queued),
    );
    for (const url of queued) site.found.add(url);
    return 0;
  }

  /** Removes the documents of pages that vanished, and of pages that could not be read since the metadata of their URL changed. */
  async #removeOutdated({ crawl, definition, progress }: RunStep): Promise<number> {
    const isComplete = !progress.isLimited;
    const vanished = await this.#pages.vanished(crawl, isComplete, REMOVED_PER_STEP);
    const pages =
      vanished.length > 0 ? vanished : await this.#withOtherProperties(crawl, definition);
    if (pages.length > 0) {
      await this.#removeDocuments(crawl, pages, {
        ...progress,
        removed: progress.removed + pages.length,
      });
      return 0;
    }
    const outcome = isComplete ? 'complete' : 'limited';
    await this.#end(crawl, { ...progress, outcome });
    return 0;
  }

  /** Returns at most 100 pages whose documents do not have the metadata of the definition. */
  async #withOtherProperties(
    crawl: StoredCrawl,
    definition: Definition,
  ): Promise<readonly { readonly url: string }[]> {
    const found: { readonly url: string }[] = [];
    let after = '';
    while (found.length < REMOVED_PER_STEP) {
      const pages = await this.#pages.withDocument(crawl, after, COMPARED_AT_ONCE);
      found.push(
        ...pages.filter(({ url, properties }) => properties !== propertiesDigest(definition, url)),
      );
      const last = pages.at(-1);
      if (last === undefined) break;
      after = last.url;
    }
    return found.slice(0, REMOVED_PER_STEP);
  }

  async #delete(crawl: StoredCrawl): Promise<number | null> {
    const pages = await this.#pages.withDocument(crawl, '', REMOVED_PER_STEP);
    if (pages.length > 0) {
      await this.#removeDocuments(crawl, pages, null);
      return 0;
    }
    // Documents are hidden while the row of their crawl exists.
    const left = await this.#pages.documentsWith(crawl, subjectOf(crawl, ''), REMOVED_PER_STEP);
    if (left.length === 0) {
      await this.#crawls.remove(crawl, this.#term.fence);
      return null;
    }
    // The event about a page is already stored. Other documents have the subjects of the crawl, but were sent by others.
    const others = left.filter(({ isPage }) => !isPage);
    if (others.length > 0) {
      await this.#commit(crawl, null);
      await this.#deps.events.append([deletedEvents(crawl, others, this.#deps.clock())]);
    }
    return DELETING_MS;
  }

  async #removeDocuments(
    crawl: StoredCrawl,
    pages: readonly { readonly url: string }[],
    progress: Progress | null,
  ): Promise<void> {
    const urls = pages.map(({ url }) => url);
    // The commit fails if the lease was lost or a person changed the crawl. `append` checks neither.
    await this.#commit(crawl, null);
    await this.#deps.events.append([deletedEvents(crawl, pages, this.#deps.clock())]);
    const columns = progress === null ? null : { progress: JSON.stringify(progress) };
    await this.#commit(crawl, columns, (trx) =>
      updatePages(trx, crawl, urls, {
        has_document: 0,
        digest: null,
        properties: null,
        etag: null,
        last_modified: null,
      }),
    );
  }

  /** Repeats the step later, or ends the run without removing anything. */
  async #afterFailure(crawl: StoredCrawl, progress: Progress, error: SiteFailure): Promise<number> {
    const key = `${crawl.space_id} ${crawl.id}`;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (error.isTemporary && failures < MAX_ATTEMPTS) return retryDelay(this.#deps, failures);
    this.forget(crawl);
    await this.#end(crawl, { ...progress, outcome: 'failed', failure: error.message });
    return 0;
  }

  async #enter(crawl: StoredCrawl, progress: Progress): Promise<number> {
    await this.#commit(crawl, { progress: JSON.stringify(progress) });
    return 0;
  }

  async #end(crawl: StoredCrawl, progress: Progress): Promise<void> {
    const ended: Progress = { ...progress, endedAt: this.#deps.clock() };
    const columns = { state: 'idle', progress: JSON.stringify(ended) } as const;
    await this.#commit(crawl, columns, async (trx) => {
      if (ended.outcome === 'complete') await deleteOldPages(trx, crawl);
    });
  }

  #commit(...[crawl, columns, work]: CommitArguments): Promise<void> {
    return this.#crawls.commit(crawl, this.#term.fence, columns, work);
  }
}

type Commit = ReturnType<typeof createCrawlRepository>['commit'];
type CommitArguments = [
  crawl: StoredCrawl,
  columns: Parameters<Commit>[2],
  work?: Parameters<Commit>[3],
];
