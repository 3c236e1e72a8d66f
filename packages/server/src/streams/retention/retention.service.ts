import { type Clock, DAY_MS, FairScheduler } from '../../lib/scheduling/index.ts';
import type { Database, EventStore, JobWork, Leases, Term } from '../../storage/ports/index.ts';
import type { Consumers } from '../consumers/index.ts';
import { createRetentionRepository, type StoredRetention } from './retention.repository.ts';

export interface RetentionDeps {
  readonly db: Database;
  readonly store: EventStore;
  readonly leases: Leases;
  readonly consumers: Pick<Consumers, 'all'>;
  readonly clock: Clock;
  /** Retention of spaces without their own setting. `null`: unlimited. */
  readonly defaults: StoredRetention;
  /** Receives the number of removed events, and how many of the removed events a consumer had not processed. */
  readonly count: (removed: number, unread: number) => void;
  readonly onError: (error: unknown) => void;
}

export interface Retention extends AsyncDisposable {
  /** Starts removing events as soon as no other process holds the retention job. */
  start(): Promise<void>;
  /** Applies changed settings of a space. */
  recheck(spaceId: string): void;
}

const CHECK_EVERY_MS = 10 * 60_000;
const RETRY_MS = 10_000;
/** Delays before the next checks of a space whose events a consumer still needs. Afterwards the periodic check continues. */
const HELD_DELAYS_MS = [1000, 2000, 4000, 8000, 16_000, 32_000];
const JOB = 'retention';
/** Number of additional days for which unprocessed events are kept, for example while the target of a subscription is down. */
const HELD_DAYS = 7;

/**
 * Removes events past the retention of their space, by age and by total size. Identities remain until the space is deleted, so removed
 * events are still recognised as duplicates. Events are removed in small steps, one space at a time, so that ingest has priority.
 */
export function createRetention(deps: RetentionDeps): Retention {
  const job = deps.leases.job(JOB, (term) => startRetention(deps, term));
  return {
    start: job.start,
    recheck: job.notify,
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}

/** Positions up to which events exceed the retention of a space. */
interface RetentionEnd {
  /** Maximum age in days, or 0 without one. */
  readonly days: number;
  /** Position of the last event that exceeds the maximum age. */
  readonly byAge: number;
  /** Position of the last event beyond the maximum size. */
  readonly bySize: number;
  /** The later of the two. */
  readonly last: number;
}

async function startRetention(deps: RetentionDeps, term: Term): Promise<JobWork> {
  const { store, consumers, clock, count, onError, defaults } = deps;
  const repository = createRetentionRepository(deps.db);
  const scheduler = new FairScheduler({
    atOnce: 1,
    step,
    onFailure: (error) => {
      onError(error);
      return RETRY_MS;
    },
  });

  /** Number of early checks per space, since the last periodic check. */
  const earlyChecks = new Map<string, number>();

  async function step(spaceId: string): Promise<boolean> {
    const settings = await repository.find(spaceId);
    if (settings === undefined || !term.isHeld()) return false;
    const end = await endOf(spaceId, settings);
    if (end.last === 0) return false;
    const slowest = await slowestConsumer(spaceId);
    const through = end.last <= slowest ? end.last : await limitToReleased(spaceId, end, slowest);
    const removed = through > 0 ? await remove(spaceId, through, slowest) : 0;
    if (removed === 0 && through < end.last) checkEarly(spaceId);
    return removed > 0;
  }

  /** Removes some events up to `through`, first those that all consumers have processed. Returns the number of removed events. */
  async function remove(spaceId: string, through: number, slowest: number): Promise<number> {
    const read = await store.removeUpTo(spaceId, Math.min(through, slowest));
    const unread = read === 0 && through > slowest ? await store.removeUpTo(spaceId, through) : 0;
    count(read + unread, unread);
    return read + unread;
  }

  /** Returns the position up to which all consumers can do without the events of a space. */
  async function slowestConsumer(spaceId: string): Promise<number> {
    // A consumer that has not stored a cursor yet is at position 0, so the stored cursors alone do not suffice.
    const positions = await Promise.all([
      repository.lowestCursor(spaceId),
      ...consumers.all().map((consumer) => consumer.releasedPosition(spaceId)),
    ]);
    return Math.min(...positions.map((position) => position ?? Number.POSITIVE_INFINITY));
  }

  /** Returns the positions up to which the age and the total size of the events exceed the retention. */
  async function endOf(spaceId: string, settings: StoredRetention): Promise<RetentionEnd> {
    const days = settings.maxAgeDays ?? defaults.maxAgeDays;
    const bytes = settings.maxBytes ?? defaults.maxBytes;
    const [byAge, bySize] = [
      days === null ? 0 : await store.retentionCutoff(spaceId, { since: clock() - days * DAY_MS }),
      bytes === null ? 0 : await store.retentionCutoff(spaceId, { bytes }),
    ];
    return { days: days ?? 0, byAge, bySize, last: Math.max(byAge, bySize) };
  }

  /**
   * Returns the last position up to which all events can be removed now. An event can be removed if every consumer has processed it, or if
   * its additional days have passed.
   */
  async function limitToReleased(
    spaceId: string,
    { days, byAge, bySize }: RetentionEnd,
    slowest: number,
  ): Promise<number> {
    const limit = async (end: number, keptDays: number) => {
      const since = clock() - (keptDays + HELD_DAYS) * DAY_MS;
      return Math.min(end, Math.max(slowest, await store.retentionCutoff(spaceId, { since })));
    };
    return Math.max(await limit(byAge, days), await limit(bySize, 0));
  }

  /** Checks a space again soon, because most consumers need the newest events only for a moment. */
  function checkEarly(spaceId: string): void {
    const checks = earlyChecks.get(spaceId) ?? 0;
    const delay = HELD_DELAYS_MS[checks];
    if (delay === undefined) return;
    earlyChecks.set(spaceId, checks + 1);
    setTimeout(() => scheduler.wake(spaceId), delay).unref();
  }

  const wakeAll = async () => {
    for (const spaceId of (await store.heads()).keys()) scheduler.wake(spaceId);
  };
  const tick = () => {
    earlyChecks.clear();
    void wakeAll().catch(onError);
  };
  const timer = setInterval(tick, CHECK_EVERY_MS).unref();
  tick();
  return {
    // An empty hint is ignored, because the periodic check finds missed changes.
    onHint: (spaceId) => {
      if (spaceId === '') return;
      earlyChecks.delete(spaceId);
      scheduler.wake(spaceId);
    },
    stop: async () => {
      clearInterval(timer);
      await scheduler.close();
    },
  };
}
