import type { Database } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';

export type CursorRepository = ReturnType<typeof createCursorRepository>;

/** Up to where each durable consumer has got in the feed of each space. */
export function createCursorRepository(db: Database) {
  return {
    /**
     * Enters a consumer that begins at the newest: what is in these spaces now is behind it, and nothing else
     * ever will be. Does nothing for one that was entered before.
     */
    async enter(consumer: string, heads: ReadonlyMap<string, number>, now: number): Promise<void> {
      await inTransaction(db, async (trx) => {
        const entered = await trx
          .insertInto('event_consumers')
          .values({ name: consumer, created_at: now })
          .onConflict((conflict) => conflict.doNothing())
          .returning('name')
          .executeTakeFirst();
        if (entered === undefined) return;
        for (const [spaceId, position] of heads)
          await trx
            .insertInto('event_cursors')
            .values({ space_id: spaceId, consumer, position, updated_at: now })
            .execute();
      });
    },

    /** 0 when the consumer was never in the space; null when the space is gone. */
    async read(spaceId: string, consumer: string): Promise<number | null> {
      const row = await db
        .selectFrom('spaces')
        .leftJoin('event_cursors', (join) =>
          join.onRef('event_cursors.space_id', '=', 'spaces.id').on('consumer', '=', consumer),
        )
        .where('spaces.id', '=', spaceId)
        .select('position')
        .executeTakeFirst();
      return row === undefined ? null : (row.position ?? 0);
    },

    /**
     * Moves the cursor, and never back: whoever writes late, since another process has the consumer's job by
     * now, changes nothing. Nothing happens for a space that is gone.
     */
    async write(spaceId: string, consumer: string, position: number, now: number): Promise<void> {
      await db
        .insertInto('event_cursors')
        .columns(['space_id', 'consumer', 'position', 'updated_at'])
        .expression((eb) =>
          eb
            .selectFrom('spaces')
            .where('id', '=', spaceId)
            .select([
              'id',
              eb.val(consumer).as('consumer'),
              eb.val(position).as('position'),
              eb.val(now).as('updated_at'),
            ]),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['space_id', 'consumer'])
            .doUpdateSet({ position, updated_at: now })
            .where('event_cursors.position', '<', position),
        )
        .execute();
    },

    /** The cursors of one consumer, in all spaces. */
    async all(consumer: string): Promise<ReadonlyMap<string, number>> {
      const rows = await db
        .selectFrom('event_cursors')
        .where('consumer', '=', consumer)
        .select(['space_id', 'position'])
        .execute();
      return new Map(rows.map((row) => [row.space_id, row.position]));
    },
  };
}
