import { SPACE_B } from '../history.ts';
import type { ReplicaHistory, Step } from './history.ts';

const wait = (ms: number): Step => ({
  kind: 'operation',
  replica: 0,
  operation: { kind: 'wait', ms },
});

/**
 * A replica is paused for longer than a lease, which no other replica acquires. The event arrives before the renewal of the lease, so the
 * consumer regards its term as ended and gives up. The renewal continued the term, and nobody read the event until the next one.
 */
const RENEWED_TOO_LATE: ReplicaHistory = {
  seed: 16,
  steps: [
    { kind: 'start', replica: 0 },
    { kind: 'restart-database' },
    wait(300),
    { kind: 'pause', replica: 0 },
    wait(5500),
    { kind: 'continue', replica: 0 },
    {
      kind: 'operation',
      replica: 0,
      operation: { kind: 'append', repeats: 1, batches: [{ space: SPACE_B, ids: ['e-15'] }] },
    },
  ],
};

/** Histories that failed before a defect was corrected, or that find an inserted defect which few other histories find. */
export const REPLICA_REGRESSIONS: readonly ReplicaHistory[] = [RENEWED_TOO_LATE];
