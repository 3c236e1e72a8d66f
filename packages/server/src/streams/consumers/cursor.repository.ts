import type { Database } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';

export type CursorRepository = ReturnType<typeof createCursorRepository>;

export function createCursorRepository(db: Database) {
  return {
    /**
     * Registers a consumer that starts at the newest events and sets its cursors to the given heads. Does nothing for a registered
     * consumer.
     */
    async register(
      consumer: string,
      heads: ReadonlyMap<string, number>,
      now: number,
    ): Promise<void> {
      await inTransaction(db, async (trx) => {
        const registered = await trx
          .insertInto('event_consumers')
          .values({ name: consumer, created_at: now })
          .onConflict((conflict) => conflict.doNothing())
          .returning('name')
          .executeTakeFirst();
        if (registered === undefined) return;
        for (const [spaceId, position] of heads)
          await trx
            .insertInto('event_cursors')
            .values({ space_id: spaceId, consumer, position, updated_at: now })
            .execute();
      });
    },

    /** Returns the cursor, 0 if the consumer has no cursor in the space, or `null` if the space does not exist. */
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
     * Advances the cursor. Never moves the cursor backwards, so a late write by a process that lost the job has no
     * effect. Does nothing if the space does not exist.
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
