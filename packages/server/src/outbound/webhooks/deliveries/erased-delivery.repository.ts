import type { Database } from '../../../storage/ports/index.ts';
import { inTransaction } from '../../../storage/ports/index.ts';

export interface ErasedDeliveryRepository {
  /**
   * Increments `revision` of all subscriptions of a space, so that every process reads their events from the log again. Returns
   * the IDs of the subscriptions.
   */
  restartAll(spaceId: string): Promise<readonly string[]>;
  /** Deletes all deliveries of events with a subject. Returns their number and their subscriptions. */
  removeOfSubject(
    spaceId: string,
    subject: string,
  ): Promise<{ readonly count: number; readonly subscriptionIds: readonly string[] }>;
}

/** Creates the repository that erases deliveries. Deliveries contain the text and the subject of their event. */
export function createErasedDeliveryRepository(db: Database): ErasedDeliveryRepository {
  return {
    restartAll: async (spaceId) => {
      const rows = await db
        .updateTable('subscriptions')
        .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
        .where('space_id', '=', spaceId)
        .where('state', '=', 'active')
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    removeOfSubject: (spaceId, subject) =>
      inTransaction(db, async (trx) => {
        const pending = await trx
          .deleteFrom('deliveries')
          .where('space_id', '=', spaceId)
          .where('subject', '=', subject)
          .returning('subscription_id')
          .execute();
        const successful = await trx
          .deleteFrom('successful_deliveries')
          .where('space_id', '=', spaceId)
          .where('subject', '=', subject)
          .executeTakeFirst();
        const subscriptionIds = [...new Set(pending.map((row) => row.subscription_id))];
        // Deliveries are written before their subscription, as in checkpoints. This order prevents deadlocks.
        if (subscriptionIds.length > 0)
          await trx
            .updateTable('subscriptions')
            .set(({ eb }) => ({ deliveries_revision: eb('deliveries_revision', '+', 1) }))
            .where('space_id', '=', spaceId)
            .where('id', 'in', subscriptionIds)
            .execute();
        return { count: pending.length + Number(successful.numDeletedRows), subscriptionIds };
      }),
  };
}
