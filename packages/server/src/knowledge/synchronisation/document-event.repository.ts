import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { DocumentEventRow, KnowledgeDatabase } from '../../storage/ports/index.ts';
import type { IncomingEvent } from './document-event.rules.ts';

export type ShownEvent = DocumentEventRow & { readonly document_id: string | null };

export type DocumentEventRepository = ReturnType<typeof createDocumentEventRepository>;

/** Creates the repository of document events, which contains the newest processed event of each subject. */
export function createDocumentEventRepository(db: KnowledgeDatabase) {
  const shown = (spaceId: string) =>
    db
      .selectFrom('document_events')
      .leftJoin('documents', (join) =>
        join
          .onRef('documents.space_id', '=', 'document_events.space_id')
          .onRef('documents.subject', '=', 'document_events.subject'),
      )
      .where('document_events.space_id', '=', spaceId)
      .selectAll('document_events')
      .select('documents.id as document_id');

  return {
    /** Returns at most `count` events with IDs greater than `after`, ordered by ID. */
    list(
      spaceId: string,
      {
        after,
        state,
        count,
      }: { after: string | null; state?: DocumentEventRow['state']; count: number },
    ): Promise<ShownEvent[]> {
      let query = shown(spaceId).orderBy('document_events.id').limit(count);
      if (after !== null) query = query.where('document_events.id', '>', after);
      if (state !== undefined) query = query.where('document_events.state', '=', state);
      return query.execute();
    },

    find: (spaceId: string, id: string): Promise<ShownEvent | undefined> =>
      shown(spaceId).where('document_events.id', '=', id).executeTakeFirst(),

    /** Records a failed event, unless a newer event was processed or the space no longer exists. */
    async fail(
      spaceId: string,
      event: IncomingEvent,
      failure: object,
      time: number,
    ): Promise<void> {
      const failed = {
        state: 'failed',
        failure: JSON.stringify(failure),
        updated_at: time,
      } as const;
      const row = eventRow(event, failed);
      const names = Object.keys(row).map((name) => sql.ref(name));
      const values = Object.values(row).map((value) => sql`${value}`);
      const sets = Object.keys(row).map(
        (name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`,
      );
      await sql`insert into document_events (id, space_id, ${sql.join(names)})
        select ${randomUUIDv7()}, id, ${sql.join(values)} from spaces where id = ${spaceId}
        on conflict (space_id, subject) do update set ${sql.join(sets)}
        where document_events.position < excluded.position
        or (document_events.position = excluded.position and document_events.state = 'failed')`.execute(
        db,
      );
    },
  };
}

export function eventRow(
  { subject, position, eventId, source, type, receivedAt }: IncomingEvent,
  outcome: Pick<DocumentEventRow, 'state' | 'failure' | 'updated_at'>,
) {
  return {
    subject,
    position,
    event_id: eventId,
    source,
    type,
    received_at: receivedAt,
    ...outcome,
  };
}
