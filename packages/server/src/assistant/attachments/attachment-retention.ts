import type { Clock } from '../../lib/scheduling/index.ts';
import { startRemoval } from '../../platform/jobs/index.ts';
import type { Database, Leases } from '../../storage/ports/index.ts';
import { createAttachmentRepository } from './attachment.repository.ts';

const CHECK_EVERY_MS = 60_000;

/** Creates the job that removes attachments that were not sent, and attachments of chats that are not stored. */
export function createAttachmentRetention({
  db,
  leases,
  clock,
  onError,
}: {
  readonly db: Database;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}) {
  const { removeExpired } = createAttachmentRepository(db);
  const removeSome = () => removeExpired(clock());
  return leases.job('attachments', () =>
    startRemoval({ removeSome, onError, everyMs: CHECK_EVERY_MS }),
  );
}
