import { type Clock, dayOf, GatheredWrites } from '../../lib/scheduling/index.ts';
import type { Usage, UsageRepository } from './usage.repository.ts';

/** Counts usage in the background. Counts are informational: a failed write or a crash loses some. */
export interface UsageCounter {
  /** Adds amounts to the current day (UTC). */
  count(spaceId: string, amounts: Partial<Usage>): void;
  /** Resolves when all counts so far are written, or dropped after a failed write. */
  drain(): Promise<void>;
}

const NONE: Usage = {
  questions: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMillionths: 0,
  documents: 0,
  events: 0,
};

export function createUsageCounter(
  repository: Pick<UsageRepository, 'add'>,
  clock: Clock,
  onError: (error: unknown) => void,
): UsageCounter {
  const counts = new GatheredWrites<{ spaceId: string; day: string; usage: Usage }>({
    write: (rows) => repository.add(rows),
    onError,
  });
  return {
    count(spaceId, amounts) {
      const day = dayOf(clock());
      const key = `${day} ${spaceId}`;
      const usage = { ...(counts.get(key)?.usage ?? NONE) };
      for (const [name, amount] of Object.entries(amounts)) usage[name as keyof Usage] += amount;
      counts.set(key, { spaceId, day, usage });
    },
    drain: () => counts.drain(),
  };
}
