import { type Clock, FirstFailure } from '../../lib/scheduling/index.ts';
import type { CountsOfMinute, EventCounts } from '../../storage/ports/index.ts';
import type { Live } from '../live/live.service.ts';
import { minuteOf, SpaceCounts, WINDOW } from './counts.ts';
import type { Tally } from './tally.ts';

export interface CountSharingDeps {
  readonly shared: EventCounts;
  readonly tally: Tally;
  readonly live: Pick<Live, 'counts'>;
  readonly clock: Clock;
  /** Hears why the others could not be told, once in a row; they are told again. */
  readonly onError: (error: unknown) => void;
}

/** What all replicas counted of a space. */
export interface AllCounts {
  /** Since when they count, Unix milliseconds. */
  readonly since: number;
  /** With what this one counted until now, and the others until a few seconds ago. */
  of(spaceId: string): Promise<SpaceCounts>;
  /** How many listen to it. */
  listeners(spaceId: string): Promise<number>;
}

const TELL_EVERY_MS = 5000;
/** Rows in one statement; each has what was counted in a minute, some KiB at most. */
const MOST_AT_ONCE = 100;

/**
 * Tells the other replicas every five seconds what was counted here since the last time, by the minute and all of it,
 * so that it may be told twice. Requests with events wait for none of this.
 */
export function shareCounts(deps: CountSharingDeps): AllCounts & AsyncDisposable {
  const { shared, tally, live, clock } = deps;
  /** The first minute of which not all was told. */
  let from = minuteOf(clock());
  let listened = new Set<string>();
  const failures = new FirstFailure(deps.onError);
  let telling: Promise<void> | null = null;

  async function tellCounts(): Promise<void> {
    const now = minuteOf(clock());
    const unshared = tally.takeUnshared();
    const rows = unshared.flatMap(([spaceId, counts]) => rowsOf(spaceId, counts, from, now));
    try {
      for (let index = 0; index < rows.length; index += MOST_AT_ONCE)
        await shared.put(rows.slice(index, index + MOST_AT_ONCE));
      // What was received in the minute before may still be counted.
      from = now - 1;
    } catch (error) {
      for (const [, counts] of unshared) counts.unshared = true;
      throw error;
    }
  }

  async function tellListeners(): Promise<void> {
    const now = live.counts();
    const gone = [...listened].filter((spaceId) => !now.has(spaceId));
    await shared.putListeners(new Map([...now, ...gone.map((id) => [id, 0] as const)]));
    listened = new Set(now.keys());
  }

  async function tell(): Promise<void> {
    await tellCounts();
    await tellListeners();
  }

  const timer = setInterval(() => {
    telling ??= failures.of(tell).finally(() => {
      telling = null;
    });
  }, TELL_EVERY_MS).unref();

  return {
    since: shared.since,
    of: async (spaceId) => {
      const minute = minuteOf(clock());
      const first = minute - WINDOW + 1;
      const own = tally.of(spaceId) ?? new SpaceCounts();
      const all = new SpaceCounts();
      for (let each = first; each <= minute; each += 1) all.add(each, own.of(each));
      for (const { minute: at, counts } of await shared.others(spaceId, first, own.id))
        all.add(at, JSON.parse(counts));
      return all;
    },
    listeners: async (spaceId) =>
      (live.counts().get(spaceId) ?? 0) + (await shared.listenersElsewhere(spaceId)),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await telling;
      await failures.of(tell);
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
