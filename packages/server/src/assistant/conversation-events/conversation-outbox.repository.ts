import type { Selectable } from 'kysely';
import {
  type ConversationOutboxRow,
  type Database,
  retryConflicts,
} from '../../storage/ports/index.ts';

const EVENTS_AT_ONCE = 100;

export type QueuedConversationEvent = Selectable<ConversationOutboxRow>;

/** Creates the repository of the queue that triggers fill. It contains the events of all spaces, oldest first. */
export function createConversationOutboxRepository(db: Database) {
  return {
    /** Returns the oldest queued events, at most 100. */
    next: (): Promise<QueuedConversationEvent[]> =>
      db
        .selectFrom('conversation_outbox')
        .selectAll()
        .orderBy('number')
        .limit(EVENTS_AT_ONCE)
        .execute(),

    async remove(rows: readonly QueuedConversationEvent[]): Promise<void> {
      const numbers = rows.map(({ number }) => number);
      await retryConflicts(() =>
        db.deleteFrom('conversation_outbox').where('number', 'in', numbers).execute(),
      );
    },
  };
}
