import { setTimeout as sleep } from 'node:timers/promises';
import { CONSENT_SECONDS } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { noSuchToolCall } from './tool.errors.ts';

export type Decision = 'allow' | 'deny';

/** The link whose sessions may decide about a call. */
export interface Decider {
  readonly spaceId: string;
  readonly linkId: string;
}

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

export interface ConsentsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Interval of the poll in milliseconds. Default 250. */
  readonly pollMs?: number;
  /** Time in milliseconds after which a call is denied. Default 120,000. */
  readonly consentMs?: number;
}

export function createConsents({
  db,
  clock,
  pollMs = 250,
  consentMs = CONSENT_SECONDS * 1000,
}: ConsentsOptions): Consents {
  const find = ({ spaceId }: Decider, id: string) =>
    db
      .selectFrom('tool_consents')
      .select(['decision', 'expires_at', 'link_id'])
      .where('space_id', '=', spaceId)
      .where('id', '=', id)
      .executeTakeFirst();

  const remove = ({ spaceId }: Decider, id: string) =>
    db.deleteFrom('tool_consents').where('space_id', '=', spaceId).where('id', '=', id).execute();

  return {
    async open({ spaceId, linkId }, id) {
      const now = clock();
      // Calls of replicas that stopped unexpectedly.
      await db
        .deleteFrom('tool_consents')
        .where('expires_at', '<', now - consentMs)
        .execute();
      await db
        .insertInto('tool_consents')
        .values({
          id,
          space_id: spaceId,
          link_id: linkId,
          decision: null,
          expires_at: now + consentMs,
        })
        .execute();
    },

    async wait(decider, id, signal) {
      try {
        for (;;) {
          signal.throwIfAborted();
          const row = await find(decider, id);
          if (row === undefined) return 'deny';
          if (row.decision !== null) return row.decision;
          if (clock() >= row.expires_at) return 'deny';
          await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      } finally {
        await remove(decider, id);
      }
    },

    async decide({ spaceId, linkId }, givenId, decision) {
      const id = givenId.toLowerCase();
      const { numUpdatedRows } = await db
        .updateTable('tool_consents')
        .set({ decision })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .where('link_id', '=', linkId)
        .where('expires_at', '>', clock())
        .where((row) => row.or([row('decision', 'is', null), row('decision', '=', decision)]))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw noSuchToolCall();
    },
  };
}
