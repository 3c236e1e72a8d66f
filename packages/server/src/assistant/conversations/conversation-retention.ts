import { type Clock, DAY_MS } from '../../lib/scheduling/index.ts';
import { startRemoval } from '../../platform/jobs/index.ts';
import type { Database, Leases } from '../../storage/ports/index.ts';
import { createConversationRemoval } from './conversation-retention.repository.ts';

export interface ConversationRetentionDeps {
  readonly db: Database;
  readonly leases: Leases;
  readonly clock: Clock;
  /** Days after the last message for which conversations are kept. 0: permanently. */
  readonly days: number;
  readonly onError: (error: unknown) => void;
}

/** Creates the job that removes old conversations. Starting it has no effect if conversations are kept permanently. */
export function createConversationRetention(deps: ConversationRetentionDeps) {
  const { db, leases, clock, days, onError } = deps;
  const removeSomeBefore = createConversationRemoval(db);
  const removeSome = () => removeSomeBefore(clock() - days * DAY_MS);
  const job = leases.job('conversations', () => startRemoval({ removeSome, onError }));
  return {
    start: async () => {
      if (days > 0) await job.start();
    },
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}
