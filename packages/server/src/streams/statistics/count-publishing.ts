import { type Clock, FirstFailure } from '../../lib/scheduling/index.ts';
import type { CountsOfMinute, EventCounts } from '../../storage/ports/index.ts';
import type { Live } from '../live/live.service.ts';
import { minuteOf, SpaceCounts, WINDOW } from './counts.ts';
import type { Tally } from './tally.ts';

export interface CountPublishingDeps {
  readonly shared: EventCounts;
  readonly tally: Tally;
  readonly live: Pick<Live, 'counts'>;
  readonly clock: Clock;
  /** Receives the first of consecutive failures. Publishing is retried. */
  readonly onError: (error: unknown) => void;
}

export interface AllCounts {
  /** Time at which counting started, in Unix milliseconds. */
  readonly since: number;
  /** Returns the counts of a space. Counts of this replica are current; counts of other replicas may be a few seconds old. */
  of(spaceId: string): Promise<SpaceCounts>;
  listeners(spaceId: string): Promise<number>;
}

const PUBLISH_EVERY_MS = 5000;
/** Maximum rows per statement. A row contains the counts of one minute, at most a few KiB. */
const ROWS_PER_STATEMENT = 100;

/**
 * Publishes the counts of this replica every five seconds. Each row contains the total of a minute, so publishing is idempotent. Ingest
 * does not wait for publishing.
 */
export function publishCounts(deps: CountPublishingDeps): AllCounts & AsyncDisposable {
  const { shared, tally, live, clock } = deps;
  /** First minute that is not completely published. */
  let from = minuteOf(clock());
  let publishedListeners = new Set<string>();
  const failures = new FirstFailure(deps.onError);
  let publishing: Promise<void> | null = null;

  async function publishMinutes(): Promise<void> {
    const now = minuteOf(clock());
    const unpublished = tally.takeUnpublished();
    const rows = unpublished.flatMap(([spaceId, counts]) => rowsOf(spaceId, counts, from, now));
    try {
      for (let index = 0; index < rows.length; index += ROWS_PER_STATEMENT)
        await shared.put(rows.slice(index, index + ROWS_PER_STATEMENT));
      // Events received in the previous minute may still be counted.
      from = now - 1;
    } catch (error) {
      for (const [, counts] of unpublished) counts.isUnpublished = true;
      throw error;
    }
  }

  async function publishListeners(): Promise<void> {
    const now = live.counts();
    const gone = [...publishedListeners].filter((spaceId) => !now.has(spaceId));
    await shared.putListeners(new Map([...now, ...gone.map((id) => [id, 0] as const)]));
    publishedListeners = new Set(now.keys());
  }

  async function publish(): Promise<void> {
    await publishMinutes();
    await publishListeners();
  }

  const timer = setInterval(() => {
    publishing ??= failures.of(publish).finally(() => {
      publishing = null;
    });
  }, PUBLISH_EVERY_MS).unref();

  return {
    since: shared.since,
    of: async (spaceId) => {
      const minute = minuteOf(clock());
      const first = minute - WINDOW + 1;
      const own = tally.of(spaceId) ?? new SpaceCounts();
      const all = new SpaceCounts();
      for (let each = first; each <= minute; each += 1) all.add(each, own.of(each));
      // A later minute was published before the clock was set back.
      for (const { minute: at, counts } of await shared.others(spaceId, first, own.id))
        if (at <= minute) all.add(at, JSON.parse(counts));
      return all;
    },
    listeners: async (spaceId) =>
      (live.counts().get(spaceId) ?? 0) + (await shared.listenersElsewhere(spaceId)),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await publishing;
      await failures.of(publish);
    },
  };
}

function rowsOf(
  spaceId: string,
  counts: SpaceCounts,
  from: number,
  now: number,
): readonly CountsOfMinute[] {
  const first = Math.max(from, now - WINDOW + 1);
  return Array.from({ length: now - first + 1 }, (_, index) => first + index).map((minute) => ({
    spaceId,
    minute,
    counter: counts.id,
    counts: JSON.stringify(counts.of(minute)),
  }));
}
