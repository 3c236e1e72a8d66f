import type { Clock } from '../../lib/scheduling/index.ts';
import { FairScheduler } from '../../lib/scheduling/index.ts';
import type { Database, EventStore, JobWork, Leases, Term } from '../../storage/ports/index.ts';
import { createRetentionRepository, type StoredRetention } from './retention.repository.ts';

export interface RetentionDeps {
  readonly db: Database;
  readonly store: EventStore;
  readonly leases: Leases;
  readonly clock: Clock;
  /** For spaces that say nothing of their own; null: events are kept as long as their space. */
  readonly defaults: StoredRetention;
  /** Hears of events that were removed, and how many of them some consumer had not got to. */
  readonly count: (removed: number, ofThemUnread: number) => void;
  /** Work on a space failed; it is tried again. */
  readonly onError: (error: unknown) => void;
}

export interface Retention extends AsyncDisposable {
  /** Looks after all spaces, now and from time to time, while no other process does. */
  start(): Promise<void>;
  /** What a space keeps has changed. */
  recheck(spaceId: string): void;
}

const DAY_MS = 86_400_000;
const CHECK_EVERY_MS = 10 * 60_000;
const RETRY_MS = 10_000;
const ROLE = 'retention';
/** So much longer events are kept for a consumer that has not got to them, such as a subscription whose target is down. */
export const HELD_DAYS = 7;

/**
 * Removes events that their space is to keep no longer: those received too long ago, and the oldest
 * where they take too much. Their identities stay known as long as the space, so one that is sent again
 * is still processed and not kept. Small steps, one space at a time, and ingest goes before them.
 */
export function createRetention(deps: RetentionDeps): Retention {
  const job = deps.leases.job(ROLE, (term) => beginRetention(deps, term));
  return {
    start: job.start,
    recheck: job.notify,
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}

async function beginRetention(deps: RetentionDeps, term: Term): Promise<JobWork> {
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
    const said = await repository.find(spaceId);
    if (said === undefined || !term.isHeld()) return false;
    const slowest = (await repository.slowestConsumer(spaceId)) ?? Number.POSITIVE_INFINITY;
    const through = await endOf(spaceId, said, slowest);
    if (through === 0) return false;
    const read = await store.removeSome(spaceId, Math.min(through, slowest));
    const unread = read === 0 && through > slowest ? await store.removeSome(spaceId, through) : 0;
    count(read + unread, unread);
    return read + unread > 0;
  }

  /** Up to which position events are to go. */
  async function endOf(spaceId: string, said: StoredRetention, slowest: number): Promise<number> {
    const days = said.maxAgeDays ?? defaults.maxAgeDays;
    const bytes = said.maxBytes ?? defaults.maxBytes;
    const [byAge, bySize] = [
      days === null ? 0 : await store.beyond(spaceId, { since: clock() - days * DAY_MS }),
      bytes === null ? 0 : await store.beyond(spaceId, { bytes }),
    ];
    if (Math.max(byAge, bySize) <= slowest) return Math.max(byAge, bySize);
    /** What has been held long enough, of those that are past their time. */
    const notHeld = async (end: number, keptDays: number) => {
      const since = clock() - (keptDays + HELD_DAYS) * DAY_MS;
      return Math.min(end, Math.max(slowest, await store.beyond(spaceId, { since })));
    };
    return Math.max(await notHeld(byAge, days ?? 0), await notHeld(bySize, 0));
  }

  const wakeAll = async () => {
    for (const spaceId of (await store.heads()).keys()) scheduler.wake(spaceId);
  };
  const tick = () => void wakeAll().catch(onError);
  const timer = setInterval(tick, CHECK_EVERY_MS).unref();
  tick();
  return {
    // Without a hint nothing is looked at: what was missed is found with all else.
    onHint: (spaceId) => {
      if (spaceId !== '') scheduler.wake(spaceId);
    },
    stop: async () => {
      clearInterval(timer);
      await scheduler.close();
    },
  };
}
