import { CONVERSATION_EVENT_PREFIX } from '@gatehouse/contract';
import { installationSource } from '../../identity/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { startQueue } from '../../platform/jobs/index.ts';
import {
  type Database,
  type EventStore,
  type Leases,
  toEventBatch,
} from '../../storage/ports/index.ts';
import {
  createConversationOutboxRepository,
  type QueuedConversationEvent,
} from './conversation-outbox.repository.ts';

export interface ConversationEventsDeps {
  readonly db: Database;
  readonly events: Pick<EventStore, 'append'>;
  readonly leases: Leases;
  readonly clock: Clock;
  /** The secret of the installation. */
  readonly secret: Buffer;
  /** Receives the first of several consecutive failures. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates the job that appends events about conversations to the event logs of their spaces. Triggers queue each event in the
 * transaction of its cause. The job appends queued events and then removes them from the queue. If it is interrupted in between, it
 * appends them again, and the event log ignores the duplicates.
 */
export function createConversationEvents(deps: ConversationEventsDeps) {
  const { leases, onError } = deps;
  const job = leases.job('conversation-events', async (term) =>
    startQueue({ term, handleSome: () => sendQueued(deps), onError }),
  );
  return {
    start: () => job.start(),
    [Symbol.asyncDispose]: async () => job[Symbol.asyncDispose](),
  };
}

/** Sends the oldest queued events. Returns `false` if none are queued. */
async function sendQueued({ db, events, clock, secret }: ConversationEventsDeps): Promise<boolean> {
  const outbox = createConversationOutboxRepository(db);
  const rows = await outbox.next();
  if (rows.length === 0) return false;
  const source = installationSource(secret);
  const receivedAt = clock();
  const batches = [...Map.groupBy(rows, (row) => row.space_id)].map(([spaceId, ofSpace]) =>
    toEventBatch(
      ofSpace.map((row) => toConversationEvent(row, source)),
      { spaceId, source, receivedAt },
    ),
  );
  await events.append(batches);
  await outbox.remove(rows);
  return true;
}

function toConversationEvent(row: QueuedConversationEvent, source: string) {
  const { id, event, conversation_id: conversationId, message_id: messageId, detail } = row;
  return {
    specversion: '1.0',
    id,
    source,
    type: `${CONVERSATION_EVENT_PREFIX}${event}`,
    subject: `conversation/${conversationId}`,
    time: new Date(row.at).toISOString(),
    datacontenttype: 'application/json',
    data: {
      conversationId,
      ...(messageId === null ? {} : { messageId }),
      ...(row.link_id === null ? {} : { linkId: row.link_id }),
      ...(event === 'rated' ? { rating: detail } : {}),
      ...(event === 'answered' ? { by: detail } : {}),
    },
  };
}
