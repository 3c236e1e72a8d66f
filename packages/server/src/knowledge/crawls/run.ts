import type { Clock } from '../../lib/scheduling/index.ts';
import type { EventStore, KnowledgeEngine } from '../../storage/ports/index.ts';
import type { StoredCrawl } from './crawl.repository.ts';
import type { Definition } from './definition.rules.ts';
import type { Progress } from './progress.rules.ts';
import type { SiteClients } from './site/site-client.ts';
import type { Robots } from './site/site-files.ts';

/** Maximum attempts to read a file or page of a site in a run. */
export const MAX_ATTEMPTS = 3;
/** A site may ask for a longer pause, but the crawler tries again after this time in milliseconds. */
export const MAX_PAUSE_MS = 3_600_000;

/** Returns the delay after a number of failed attempts, in milliseconds. */
export function retryDelay({ retryMs }: Pick<CrawlStepsDeps, 'retryMs'>, failures: number): number {
  return retryMs * 4 ** (failures - 1);
}

export interface CrawlStepsDeps {
  readonly engine: KnowledgeEngine;
  readonly events: Pick<EventStore, 'append'>;
  readonly clients: SiteClients;
  readonly clock: Clock;
  /** Delay before the first repetition of a failed request, in milliseconds. Later delays are four times as long. */
  readonly retryMs: number;
}

/** Facts about a run that are kept in memory. A new term of the job determines them again. */
export interface Site {
  readonly run: number;
  readonly robots: Robots;
  /** URLs that the run has found. */
  readonly found: Set<string>;
  /** Monotonic time of the next permitted request in milliseconds, as `performance.now` returns it. */
  nextRequestAt: number;
  /** Number of consecutive requests without a usable answer. */
  unanswered: number;
}

/** A step of a run that may send a request. */
export interface RunStep {
  readonly crawl: StoredCrawl;
  readonly definition: Definition;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}
