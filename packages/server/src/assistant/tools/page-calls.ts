import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolCallResult } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { createPageCallRepository } from './page-call.repository.ts';
import { noSuchPageCall } from './tool.errors.ts';
import type { Decider } from './waiting-call.repository.ts';

/**
 * Calls of tools of embedding pages. The result may reach another replica than the one that runs the answer, so it is stored
 * encrypted until the answer takes it, and the answer polls it.
 */
export interface PageCalls {
  /**
   * Stores a call, so that its result can be returned.
   *
   * @param forMs time in milliseconds within which the result must arrive.
   */
  open(link: Decider, callId: string, forMs: number): Promise<void>;
  /**
   * Waits for the result of an open call, and deletes the stored call. Returns `null` if the time is over.
   *
   * @throws `signal.reason` if the signal aborts.
   */
  wait(link: Decider, callId: string, signal: AbortSignal): Promise<ToolCallResult | null>;
  /** @throws {ApiError} 404 if no call of the link with this ID waits for its first result. */
  answer(link: Decider, callId: string, result: ToolCallResult): Promise<void>;
}

export interface PageCallsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Interval of the poll in milliseconds. Default 250. */
  readonly pollMs?: number;
}

/** Time in milliseconds after which the stored calls of a replica that stopped unexpectedly are deleted. */
const ABANDONED_AFTER_MS = 60_000;

export function createPageCalls({ db, clock, sealer, pollMs = 250 }: PageCallsOptions): PageCalls {
  const repository = createPageCallRepository(db);
  return {
    async open(link, id, forMs) {
      const now = clock();
      await repository.removeExpiredBefore(now - ABANDONED_AFTER_MS);
      await repository.insert(link, id, now + forMs);
    },

    async wait(link, id, signal) {
      try {
        for (;;) {
          signal.throwIfAborted();
          const row = await repository.find(link, id);
          if (row === undefined) return null;
          if (row.sealed !== null) {
            const text = sealer.open(row.sealed, contextOf(link, id));
            return text === null ? null : (JSON.parse(text) as ToolCallResult);
          }
          if (clock() >= row.expires_at) return null;
          await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      } finally {
        await repository.remove(link, id);
      }
    },

    async answer(link, givenId, result) {
      const id = givenId.toLowerCase();
      const sealed = sealer.seal(JSON.stringify(result), contextOf(link, id));
      if (!(await repository.answer(link, id, sealed, clock()))) throw noSuchPageCall();
    },
  };
}

function contextOf({ spaceId }: Decider, id: string): string {
  return `${spaceId}/${id}`;
}
