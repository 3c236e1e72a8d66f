import {
  createAttachmentRetention,
  createConversationEvents,
  createConversationRetention,
} from '../assistant/index.ts';
import { createAuditEvents, createAuditRetention } from '../identity/index.ts';
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
  const jobs = [
    createAuditRetention({
      ...{ db, leases, clock },
      days: settings.auditDays,
      onError: retried('removal of audit entries'),
    }),
    createConversationRetention({
      ...{ db, leases, clock },
      days: settings.conversationDays,
      onError: retried('removal of conversations'),
    }),
    createAttachmentRetention({
      ...{ db, leases, clock },
      onError: retried('removal of attachments'),
    }),
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
