import type { Erasure } from '@gatehouse/contract';
import type { SpaceAccess } from '../../identity/index.ts';
import { type Clock, MINUTE_MS } from '../../lib/scheduling/index.ts';
import { startQueue } from '../../platform/jobs/index.ts';
import { createPseudonyms, createSealer } from '../../platform/secrets/index.ts';
import type { Database, ErasureRow, EventStore, Leases, Write } from '../../storage/ports/index.ts';
import { recordedSubsOf } from '../conversations/owner.rules.ts';
import { createErasureRepository } from './erasure.repository.ts';

export interface ErasuresDeps {
  readonly db: Database;
  readonly events: Pick<EventStore, 'read' | 'eraseSubject'>;
  readonly leases: Leases;
  readonly clock: Clock;
  /** The secret of the installation. */
  readonly secret: Buffer;
  /** Returns the write that removes the stored responses to requests that concern a person. */
  readonly removalOfResponses: (spaceId: string, sub: string) => Write;
  /** Deletes the deliveries of the events with a subject. The events must have been erased. Returns the number of deliveries. */
  readonly eraseDeliveries: (spaceId: string, subject: string) => Promise<number>;
  /** Removes the values and the history of events with a subject from records. The events must have been erased. Returns the number of records. */
  readonly eraseRecords: (spaceId: string, subject: string) => Promise<number>;
  /** Receives the first of several consecutive failures of the third step. */
  readonly onError: (error: unknown) => void;
}

export interface Erasures extends AsyncDisposable {
  /** Starts the job that finishes erasures. */
  start(): Promise<void>;
  /** Erases the data of a person in a space. A repeated call returns zeros. */
  erase(space: SpaceAccess, sub: string, options: ErasureOptions): Promise<Erasure>;
}

export interface ErasureOptions {
  /** `true` also erases the events with the person as subject. */
  readonly events: boolean;
  /** Rejects if the caller may no longer erase. Called after the events were counted, which can take seconds. */
  readonly confirm: () => Promise<unknown>;
}

/** Distinguishes the keyed hash from a `sub`. */
const PREFIX = 'erased:';
/** Time after which requests that were running during an erasure have ended. */
const SETTLED_AFTER_MS = 5000;
/** Time after which the request of an erasure has ended or failed. If it has not, its events are erased twice at the same time. */
const ABANDONED_AFTER_MS = 10 * MINUTE_MS;
const EVENTS_PER_PAGE = 500;

/**
 * Creates the erasure of persons.
 *
 * 1. One transaction erases conversations, links, stored responses and the `sub` in the audit, and records the erasure.
 * 2. With `events`, the events are erased in small steps, and then their deliveries and their values in records.
 * 3. Some seconds later, a job removes traces of requests and deliveries that were running during the erasure. With `events`, these
 *    include events that were received before the links ended, such as calls of tools.
 *
 * The transaction stores what the job needs, so the third step also follows if the process dies. If a request fails in the second step, the
 * job completes it ten minutes later, and a repeated request does so at once.
 */
export function createErasures(deps: ErasuresDeps): Erasures {
  const { events: log, clock, onError } = deps;
  const repository = createErasureRepository(deps.db);
  const pseudonymOf = createPseudonyms(deps.secret);
  const sealer = createSealer(deps.secret, 'erasures');
  const job = deps.leases.job('erasures', async (term) =>
    startQueue({ term, handleSome: finishSome, onError }),
  );

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

  /** Finishes the erasures that are due. Returns `false` if there are none. One that fails does not prevent the others. */
  async function finishSome(): Promise<boolean> {
    const now = clock();
    const due = await repository.unfinished({
      settledBefore: now - SETTLED_AFTER_MS,
      abandonedBefore: now - ABANDONED_AFTER_MS,
      latest: now + MINUTE_MS,
    });
    const failures: unknown[] = [];
    for (const erasure of due) await finish(erasure).catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
    return due.length > 0;
  }

  async function finish(erasure: ErasureRow): Promise<void> {
    const { space_id: spaceId, pseudonym, erased_through: through } = erasure;
    const sub = sealer.open(erasure.sealed_sub, contextOf(spaceId, pseudonym));
    if (sub === null) {
      await repository.finish(erasure);
      throw new Error(
        `the secret was replaced before an erasure in the space ${spaceId} was finished; erase the person again`,
      );
    }
    await repository.eraseInAudit({ spaceId, sub, pseudonym });
    if (erasure.with_events === 1) {
      // Later events are not part of the erasure: the person may have become a customer again.
      await eraseEvents({ spaceId, subject: sub }, through ?? 0, erasure.ended_at + 1);
      await deps.eraseDeliveries(spaceId, sub);
      await deps.eraseRecords(spaceId, sub);
    }
    await repository.finish(erasure);
  }

  return {
    start: () => job.start(),
    erase: async ({ spaceId }, sub, options) => {
      const pseudonym = PREFIX + pseudonymOf(spaceId, sub);
      const events = await countEvents(spaceId, sub);
      await options.confirm();
      const person = {
        ...{ spaceId, sub, pseudonym },
        sealedSub: sealer.seal(sub, contextOf(spaceId, pseudonym)),
        now: clock(),
        removalsOfResponses: recordedSubsOf(spaceId, sub).map((recorded) =>
          deps.removalOfResponses(spaceId, recorded),
        ),
        removedEvents: options.events ? events : null,
      };
      const erased = await repository.erase(person);
      const endedAt = clock();
      let [removedEvents, through, removedDeliveries, changedRecords] = [0, 0, 0, 0];
      if (options.events) {
        ({ count: removedEvents, through } = await eraseEvents({ spaceId, subject: sub }, 0));
        removedDeliveries = await deps.eraseDeliveries(spaceId, sub);
        changedRecords = await deps.eraseRecords(spaceId, sub);
      }
      await repository.noteErased(person, endedAt, through);
      return { ...erased, events, removedEvents, removedDeliveries, changedRecords };
    },
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}

/** Returns the context in which the `sub` of an erasure is sealed. */
function contextOf(spaceId: string, pseudonym: string): string {
  return `${spaceId} ${pseudonym}`;
}
