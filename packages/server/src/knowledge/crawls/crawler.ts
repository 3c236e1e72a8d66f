import { FairScheduler } from '../../lib/scheduling/index.ts';
import { type JobWork, LeaseLost, type Term } from '../../storage/ports/index.ts';
import { CrawlChanged, type CrawlRepository, createCrawlRepository } from './crawl.repository.ts';
import { CrawlSteps } from './crawl-steps.ts';
import type { CrawlStepsDeps } from './run.ts';

export interface CrawlerDeps extends CrawlStepsDeps {
  /** Called after a failed step. The step is retried with backoff. */
  readonly onError: (error: unknown) => void;
}

const CRAWLS_AT_ONCE = 4;
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** Interval at which the crawler looks for crawls that are due. */
const POLL_INTERVAL_MS = 5000;
/** A longer delay of `setTimeout` would overflow. */
const MAX_TIMER_MS = 3_600_000;

/** Runs all crawls during one term of the job, so that only one replica crawls a site. A crawl that waits occupies no slot. */
export class Crawler implements JobWork {
  readonly #deps: CrawlerDeps;
  readonly #term: Term;
  readonly #steps: CrawlSteps;
  readonly #crawls: CrawlRepository;
  readonly #resources = new AsyncDisposableStack();
  /** Timers of crawls that wait before their next step. */
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Keys are `<space id> <crawl id>`. */
  readonly #scheduler = new FairScheduler({
    atOnce: CRAWLS_AT_ONCE,
    step: (key, signal) => this.#step(key, signal),
    onFailure: (error, _, failures) => {
      if (!(error instanceof LeaseLost)) this.#deps.onError(error);
      return Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** (failures - 1));
    },
  });

  static async start(deps: CrawlerDeps, term: Term): Promise<Crawler> {
    await using starting = new AsyncDisposableStack();
    const crawler = starting.adopt(new Crawler(deps, term), (started) => started.stop());
    await crawler.#look();
    starting.move();
    return crawler;
  }

  private constructor(deps: CrawlerDeps, term: Term) {
    this.#deps = deps;
    this.#term = term;
    this.#steps = new CrawlSteps(deps, term);
    this.#crawls = createCrawlRepository(deps.engine.db);
    this.#resources.defer(() => this.#scheduler.close());
    this.#resources.defer(() => {
      for (const timer of this.#timers.values()) clearTimeout(timer);
      this.#timers.clear();
    });
    const timer = setInterval(() => this.#schedulePoll(), POLL_INTERVAL_MS).unref();
    this.#resources.defer(() => clearInterval(timer));
  }

  /** @param hint `<space id> <crawl id>` if a crawl has changed. */
  onHint(hint: string): void {
    if (hint === '') return;
    this.#stopWaiting(hint);
    this.#scheduler.wake(hint);
  }

  async stop(): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #schedulePoll(): void {
    this.#look().catch(this.#deps.onError);
  }

  async #look(): Promise<void> {
    for (const { space_id, id } of await this.#crawls.active(this.#deps.clock())) {
      const key = `${space_id} ${id}`;
      if (!this.#timers.has(key)) this.#scheduler.wake(key);
    }
  }

  async #step(key: string, signal: AbortSignal): Promise<boolean> {
    const [spaceId = '', id = ''] = key.split(' ');
    this.#stopWaiting(key);
    const crawl = await this.#crawls.row(spaceId, id);
    if (crawl === undefined || signal.aborted || !this.#term.isHeld()) {
      if (crawl === undefined) this.#steps.forget({ space_id: spaceId, id });
      return false;
    }
    try {
      const delay = await this.#steps.step(crawl, signal);
      if (delay === null) this.#steps.forget(crawl);
      if (delay === null || delay > 0) {
        if (delay !== null) this.#wakeAfter(key, delay);
        return false;
      }
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      // The step stored nothing, because a person changed the crawl. It is performed again with the new row.
      if (error instanceof CrawlChanged) return true;
      throw error;
    }
  }

  #wakeAfter(key: string, delay: number): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(key);
        this.#scheduler.wake(key);
      },
      Math.min(MAX_TIMER_MS, delay),
    );
    this.#timers.set(key, timer.unref());
  }

  #stopWaiting(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }
}
