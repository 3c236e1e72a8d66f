import {
  createAttachmentRepository,
  createConversationEvents,
  createConversationRemoval,
} from '../assistant/index.ts';
import { createAuditEvents, createAuditRepository } from '../identity/index.ts';
import { DAY_MS, MINUTE_MS } from '../lib/scheduling/index.ts';
import { startRemoval } from '../platform/jobs/index.ts';
import type { Infrastructure } from './infrastructure.ts';

export interface BackgroundJobs {
  start(): Promise<void>;
}

/** Creates the jobs that remove old audit entries, conversations and attachments, and those that send audit entries and conversations as events. */
export function createBackgroundJobs({
  settings,
  store,
  clock,
  secret,
  log,
  opened,
}: Infrastructure): BackgroundJobs {
  const { db, events, leases } = store;
  const retried = (what: string) => (err: unknown) =>
    log.error({ err }, `${what} failed; it will be retried`);
  /** @param days days for which rows are kept. 0: permanently. */
  const removal = (
    days: number,
    removeSomeBefore: (time: number) => Promise<boolean>,
    [name, what]: readonly [name: string, what: string],
  ) => {
    const removeSome = () => removeSomeBefore(clock() - days * DAY_MS);
    const onError = retried(`removal of ${what}`);
    return days === 0 ? [] : [leases.job(name, () => startRemoval({ removeSome, onError }))];
  };
  const audit = createAuditRepository(db);
  const attachments = createAttachmentRepository(db);
  const jobs = [
    ...removal(settings.auditDays, audit.removeSomeBefore, ['audit', 'audit entries']),
    ...removal(settings.conversationDays, createConversationRemoval(db), [
      'conversations',
      'conversations',
    ]),
    // Attachments that were not sent, and attachments of chats that are not stored.
    leases.job('attachments', () =>
      startRemoval({
        removeSome: () => attachments.removeExpired(clock()),
        onError: retried('removal of attachments'),
        everyMs: MINUTE_MS,
      }),
    ),
    createAuditEvents({
      ...{ db, events, leases, clock, secret },
      queueAudit: store.queueAudit,
      spaceId: settings.auditSpace,
      onError: retried('sending the audit as events'),
    }),
    createConversationEvents({
      ...{ db, events, leases, clock, secret },
      onError: retried('sending events about conversations'),
    }),
  ];
  for (const job of jobs) opened.use(job);
  return {
    async start() {
      await Promise.all(jobs.map((job) => job.start()));
    },
  };
}
