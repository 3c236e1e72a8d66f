import type { Clock } from '../../lib/scheduling/index.ts';
import { startQueue } from '../../platform/jobs/index.ts';
import type { Database, EventStore, Leases, Store } from '../../storage/ports/index.ts';
import { installationSource, toAuditEvents } from './audit-event.rules.ts';
import { createAuditOutboxRepository } from './audit-outbox.repository.ts';

export interface AuditEventsDeps {
  readonly db: Database;
  readonly events: Pick<EventStore, 'append'>;
  readonly queueAudit: Store['queueAudit'];
  readonly leases: Leases;
  readonly clock: Clock;
  /** The secret of the installation. */
  readonly secret: Buffer;
  /** Space whose event log receives the audit. Null if audit entries do not become events. */
  readonly spaceId: string | null;
  /** Receives the first of several consecutive failures. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the job that appends audit entries to the event log of a space. A trigger queues each entry in the transaction of the
 * entry. The job appends queued entries and then removes them from the queue. If it is interrupted in between, it appends them again, and the
 * event log ignores the duplicates.
 */
export function createAuditEvents(deps: AuditEventsDeps) {
  const { leases, queueAudit, spaceId, onError } = deps;
  const job = leases.job('audit-events', async (term) =>
    startQueue({ term, handleSome: () => sendQueued(deps), onError }),
  );
  return {
    start: async () => {
      await queueAudit(spaceId !== null);
      if (spaceId !== null) await job.start();
    },
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}

/** Sends the oldest queued entries. Returns `false` if none are queued. */
async function sendQueued({ db, events, clock, secret, spaceId }: AuditEventsDeps) {
  if (spaceId === null) return false;
  const repository = createAuditOutboxRepository(db);
  const { ids, rows } = await repository.next();
  if (ids.length === 0) return false;
  if (!(await repository.hasSpace(spaceId)))
    throw new Error('the space of GATEHOUSE_AUDIT_SPACE does not exist; audit events wait for it');
  const target = { spaceId, source: installationSource(secret), receivedAt: clock() };
  if (rows.length > 0) await events.append([toAuditEvents(rows, target)]);
  await repository.remove(ids);
  return true;
}
