import type { Erasure } from '@gatehouse/contract';
import type { SpaceAccess } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { createPseudonyms } from '../../platform/secrets/index.ts';
import type { Database, EventStore, Write } from '../../storage/ports/index.ts';
import { recordedSubsOf } from '../conversations/owner.rules.ts';
import { createErasureRepository } from './erasure.repository.ts';

export interface ErasuresDeps {
  readonly db: Database;
  readonly events: Pick<EventStore, 'read' | 'eraseSubject'>;
  readonly clock: Clock;
  /** The secret of the installation. */
  readonly secret: Buffer;
  /** Returns the write that removes the stored responses to requests that concern a person. */
  readonly removalOfResponses: (spaceId: string, sub: string) => Write;
  /** Deletes the deliveries of the events with a subject. The events must have been erased. Returns the number of deliveries. */
  readonly eraseDeliveries: (spaceId: string, subject: string) => Promise<number>;
  /** Removes the values and the history of events with a subject from records. The events must have been erased. Returns the number of records. */
  readonly eraseRecords: (spaceId: string, subject: string) => Promise<number>;
  readonly onError: (error: unknown) => void;
  /** Time after which requests that were running during an erasure have ended, in milliseconds. Default 5,000. */
  readonly settledAfterMs?: number;
}

/** Disposal performs the third step of the last erasures at once. The requests of the service must have ended. */
export interface Erasures extends AsyncDisposable {
  /** Erases the data of a person in a space. A repeated call returns zeros. */
  erase(space: SpaceAccess, sub: string, options: { readonly events: boolean }): Promise<Erasure>;
}

/** Distinguishes the keyed hash from a `sub`. */
const PREFIX = 'erased:';
const SETTLED_AFTER_MS = 5000;
const EVENTS_PER_PAGE = 500;

/**
 * Creates the erasure of persons.
 *
 * 1. One transaction erases conversations, links, stored responses and the `sub` in the audit, and records the erasure.
 * 2. With `events`, the events are erased in small steps, and then their deliveries and their values in records.
 * 3. Some seconds later, traces of requests and deliveries that were running during the erasure are removed. With `events`, these
 *    include events that were received before the links ended, such as calls of tools.
 *
 * A stop of the service performs the third step at once. After a crash, a repeated request completes the steps.
 */
export function createErasures(deps: ErasuresDeps): Erasures {
  const { events: log, clock, onError, settledAfterMs = SETTLED_AFTER_MS } = deps;
  const repository = createErasureRepository(deps.db);
  const pseudonymOf = createPseudonyms(deps.secret);
  const waiting = new Map<NodeJS.Timeout, () => Promise<unknown>>();

  async function countEvents(spaceId: string, subject: string): Promise<number> {
    let [count, after, more] = [0, 0, true];
    while (more) {
      const page = await log.read({ spaceId, subject, after, limit: EVENTS_PER_PAGE });
      count += page.events.length;
      after = page.through;
      more = page.more;
    }
    return count;
  }

  /** @param to exclusive upper bound of the time of receipt, in Unix milliseconds. */
  async function eraseEvents(
    { spaceId, subject }: { readonly spaceId: string; readonly subject: string },
    first: number,
    to?: number,
  ): Promise<{ readonly count: number; readonly through: number }> {
    let [count, after, more] = [0, first, true];
    while (more) {
      const step = await log.eraseSubject(spaceId, subject, after, to);
      count += step.erased;
      after = step.through;
      more = step.more;
    }
    return { count, through: after };
  }

  function eraseAgain(work: () => Promise<unknown>): void {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      work().catch(onError);
    }, settledAfterMs).unref();
    waiting.set(timer, work);
  }

  return {
    erase: async ({ spaceId }, sub, options) => {
      const pseudonym = PREFIX + pseudonymOf(spaceId, sub);
      const events = await countEvents(spaceId, sub);
      const erased = await repository.erase({
        spaceId,
        sub,
        pseudonym,
        now: clock(),
        removalsOfResponses: recordedSubsOf(spaceId, sub).map((recorded) =>
          deps.removalOfResponses(spaceId, recorded),
        ),
        removedEvents: options.events ? events : 0,
      });
      const endedAt = clock();
      if (erased.links > 0) eraseAgain(() => repository.eraseInAudit({ spaceId, sub, pseudonym }));
      if (!options.events)
        return { ...erased, events, removedEvents: 0, removedDeliveries: 0, changedRecords: 0 };
      const subject = { spaceId, subject: sub };
      const { count: removedEvents, through } = await eraseEvents(subject, 0);
      const removedDeliveries = await deps.eraseDeliveries(spaceId, sub);
      const changedRecords = await deps.eraseRecords(spaceId, sub);
      eraseAgain(async () => {
        // Later events are not part of the erasure: the person may have become a customer again.
        const late = await eraseEvents(subject, through, endedAt + 1);
        if (removedEvents > 0 || late.count > 0) await deps.eraseDeliveries(spaceId, sub);
        if (late.count > 0) await deps.eraseRecords(spaceId, sub);
      });
      return { ...erased, events, removedEvents, removedDeliveries, changedRecords };
    },
    [Symbol.asyncDispose]: async () => {
      for (const [timer, work] of waiting) {
        clearTimeout(timer);
        waiting.delete(timer);
        await work().catch(onError);
      }
    },
  };
}
