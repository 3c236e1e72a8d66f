import { type Clock, DAY_MS } from '../../lib/scheduling/index.ts';
import { startRemoval } from '../../platform/jobs/index.ts';
import type { Database, Leases } from '../../storage/ports/index.ts';
import { createAuditRepository } from './audit.repository.ts';

export interface AuditRetentionDeps {
  readonly db: Database;
  readonly leases: Leases;
  readonly clock: Clock;
  /** Days for which entries are kept. 0: permanently. */
  readonly days: number;
  readonly onError: (error: unknown) => void;
}

/** Creates the job that removes old entries. Starting it has no effect if entries are kept permanently. */
export function createAuditRetention({ db, leases, clock, days, onError }: AuditRetentionDeps) {
  const repository = createAuditRepository(db);
  const removeSome = () => repository.removeSomeBefore(clock() - days * DAY_MS);
  const job = leases.job('audit', () => startRemoval({ removeSome, onError }));
  return {
    start: async () => {
      if (days > 0) await job.start();
    },
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}
