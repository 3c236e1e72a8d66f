import type { Clock } from '../../lib/scheduling/index.ts';
import { FairScheduler } from '../../lib/scheduling/index.ts';
import type { Database, EventStore, JobWork, Leases, Term } from '../../storage/ports/index.ts';
import { createRetentionRepository, type StoredRetention } from './retention.repository.ts';

export interface RetentionDeps {
  readonly db: Database;
  readonly store: EventStore;
  readonly leases: Leases;
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

const DAY_MS = 86_400_000;
const CHECK_EVERY_MS = 10 * 60_000;
const RETRY_MS = 10_000;
const JOB = 'retention';
/** Number of additional days for which unprocessed events are kept, for example while the target of a subscription is down. */
export const HELD_DAYS = 7;

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

async function startRetention(deps: RetentionDeps, term: Term): Promise<JobWork> {
  const { store, clock, count, onError, defaults } = deps;
  const repository = createRetentionRepository(deps.db);
  const scheduler = new FairScheduler({
    atOnce: 1,
    step,
    onFailure: (error) => {
      onError(error);
      return RETRY_MS;
    },
  });

  async function step(spaceId: string): Promise<boolean> {
    const settings = await repository.find(spaceId);
    if (settings === undefined || !term.isHeld()) return false;
    const slowest = (await repository.slowestConsumer(spaceId)) ?? Number.POSITIVE_INFINITY;
    const through = await endOf(spaceId, settings, slowest);
    if (through === 0) return false;
    const read = await store.removeUpTo(spaceId, Math.min(through, slowest));
    const unread = read === 0 && through > slowest ? await store.removeUpTo(spaceId, through) : 0;
    count(read + unread, unread);
    return read + unread > 0;
  }

  /** Returns the position up to which events must be removed. */
  async function endOf(
    spaceId: string,
    settings: StoredRetention,
    slowest: number,
  ): Promise<number> {
    const days = settings.maxAgeDays ?? defaults.maxAgeDays;
    const bytes = settings.maxBytes ?? defaults.maxBytes;
    const [byAge, bySize] = [
      days === null ? 0 : await store.retentionCutoff(spaceId, { since: clock() - days * DAY_MS }),
      bytes === null ? 0 : await store.retentionCutoff(spaceId, { bytes }),
    ];
    if (Math.max(byAge, bySize) <= slowest) return Math.max(byAge, bySize);
    /**
     * Returns the last position, at most `end`, up to which all events can be removed. An event can be removed if every consumer has
     * processed it, or if its additional days have passed.
     */
    const limitToReleased = async (end: number, keptDays: number) => {
      const since = clock() - (keptDays + HELD_DAYS) * DAY_MS;
      return Math.min(end, Math.max(slowest, await store.retentionCutoff(spaceId, { since })));
    };
    return Math.max(await limitToReleased(byAge, days ?? 0), await limitToReleased(bySize, 0));
  }

  const wakeAll = async () => {
    for (const spaceId of (await store.heads()).keys()) scheduler.wake(spaceId);
  };
  const tick = () => void wakeAll().catch(onError);
  const timer = setInterval(tick, CHECK_EVERY_MS).unref();
  tick();
  return {
    // An empty hint is ignored, because the periodic check finds missed changes.
    onHint: (spaceId) => {
      if (spaceId !== '') scheduler.wake(spaceId);
    },
    stop: async () => {
      clearInterval(timer);
      await scheduler.close();
    },
  };
}
