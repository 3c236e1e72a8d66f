import type { Clock } from '../../lib/scheduling/index.ts';
import type { Usage, UsageRepository } from './usage.repository.ts';

/** Counts usage in the background. */
export interface UsageCounter {
  /** Adds amounts to the current day (UTC). */
  count(spaceId: string, amounts: Partial<Usage>): void;
  /** Resolves when all counts so far are written, or dropped after a failed write. */
  drain(): Promise<void>;
}

/** Time in milliseconds for which counts are gathered before they are written. */
const GATHER_MS = 1000;
const ROWS_PER_STATEMENT = 200;
const NONE: Usage = {
  questions: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMillionths: 0,
  documents: 0,
  events: 0,
};

/**
 * Creates a counter that batches its writes, because a separate write would cost one fsync per request.
 *
 *   idle ──count──▶ gathering ──1 s, or drain──▶ writing ──▶ gathering if there are new counts, else idle
 *
 * Counts are informational. A failed write is reported and its counts are dropped. A crash loses unwritten counts.
 */
export function createUsageCounter(
  repository: Pick<UsageRepository, 'add'>,
  clock: Clock,
  onError: (error: unknown) => void,
): UsageCounter {
  let gathered = new Map<string, { spaceId: string; day: string; usage: Usage }>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** Starts after the previous write, so at most one write runs at a time. */
  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeGathered);
    return writing;
  }

  async function writeGathered(): Promise<void> {
    const rows = [...gathered.values()];
    gathered = new Map();
    try {
      for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
        await repository.add(rows.slice(at, at + ROWS_PER_STATEMENT));
    } catch (error) {
      onError(error);
    }
  }

  return {
    count(spaceId, amounts) {
      const day = new Date(clock()).toISOString().slice(0, 10);
      const key = `${day} ${spaceId}`;
      const usage = { ...(gathered.get(key)?.usage ?? NONE) };
      for (const [name, amount] of Object.entries(amounts)) usage[name as keyof Usage] += amount;
      gathered.set(key, { spaceId, day, usage });
      timer ??= setTimeout(write, GATHER_MS).unref();
    },
    drain: write,
  };
}
