import type { CrawlRun } from '@gatehouse/contract';
import { parse } from '../../lib/json/index.ts';

/** State of the current or last run. Times are in Unix milliseconds. */
export interface Progress {
  /** `start`: the first URLs are determined. `pages`: the queue is visited. `removing`: documents of vanished pages are removed. */
  readonly phase: 'start' | 'pages' | 'removing';
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: CrawlRun['outcome'];
  readonly failure: string | null;
  readonly bytes: number;
  readonly removed: number;
  /** True if a limit was reached, so pages may be missing although the site has them. */
  readonly isLimited: boolean;
}

export function firstProgress(now: number): Progress {
  return {
    phase: 'start',
    startedAt: now,
    endedAt: null,
    outcome: null,
    failure: null,
    bytes: 0,
    removed: 0,
    isLimited: false,
  };
}

/** @param text stored JSON. Empty before the first run. */
export function toProgress(text: string): Progress | null {
  return text === '' ? null : (parse(text) as Progress);
}

export function toRun({
  startedAt,
  endedAt,
  outcome,
  failure,
  bytes,
  removed,
}: Progress): CrawlRun {
  return {
    startedAt: new Date(startedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    outcome,
    failure,
    bytes,
    removed,
  };
}
