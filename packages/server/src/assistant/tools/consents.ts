import { setTimeout as sleep } from 'node:timers/promises';
import { CONSENT_SECONDS } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { createConsentRepository, type Decision } from './consent.repository.ts';
import { noSuchToolCall } from './tool.errors.ts';
import type { Decider } from './waiting-call.repository.ts';

/**
 * Decisions of people about tool calls. The decision may reach another replica than the one that runs the answer, so it is
 * stored, and the answer polls it.
 */
export interface Consents {
  /** Stores a call, so that it can be decided. */
  open(decider: Decider, callId: string): Promise<void>;
  /**
   * Waits for the decision about an open call. Returns `deny` after 120 seconds. Deletes the stored call.
   *
   * @throws `signal.reason` if the signal aborts.
   */
  wait(decider: Decider, callId: string, signal: AbortSignal): Promise<Decision>;
  /** @throws {ApiError} 404 if no call of the link with this ID waits for this decision. */
  decide(decider: Decider, callId: string, decision: Decision): Promise<void>;
}

/** Time after which a call is denied. */
const CONSENT_MS = CONSENT_SECONDS * 1000;

export interface ConsentsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Interval of the poll in milliseconds. Default 250. */
  readonly pollMs?: number;
}

export function createConsents({ db, clock, pollMs = 250 }: ConsentsOptions): Consents {
  const repository = createConsentRepository(db);
  return {
    async open(decider, id) {
      const now = clock();
      await repository.removeExpiredBefore(now - CONSENT_MS);
      await repository.insert(decider, id, now + CONSENT_MS);
    },

    async wait(decider, id, signal) {
      try {
        for (;;) {
          signal.throwIfAborted();
          const row = await repository.find(decider, id);
          if (row === undefined) return 'deny';
          if (row.decision !== null) return row.decision;
          if (clock() >= row.expires_at) return 'deny';
          await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      } finally {
        await repository.remove(decider, id);
      }
    },

    async decide(decider, id, decision) {
      if (!(await repository.decide(decider, id.toLowerCase(), decision, clock())))
        throw noSuchToolCall();
    },
  };
}
