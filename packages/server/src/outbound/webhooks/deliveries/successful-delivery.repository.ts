import { sql } from 'kysely';
import type { Database } from '../../../storage/ports/index.ts';
import type { SubscriptionKey } from './delivery.repository.ts';
import type { SuccessfulDelivery } from './successful-delivery.ts';

/** Successful deliveries, which are written by checkpoints. */
export interface SuccessfulDeliveryRepository {
  /**
   * Returns deliveries, newest first.
   *
   * @param before sequence of the last delivery of the previous page.
   * @param since earliest time of delivery, in Unix milliseconds.
   */
  list(
    subscription: SubscriptionKey,
    before: number | null,
    since: number,
    limit: number,
  ): Promise<SuccessfulDelivery[]>;
  /** Returns the newest successful delivery of an event. */
  find(
    subscription: SubscriptionKey,
    position: number,
    since: number,
  ): Promise<SuccessfulDelivery | undefined>;
  /** Deletes the oldest deliveries above `MAX_DELIVERED` and `MAX_DELIVERED_SIZE`. */
  trim(subscription: SubscriptionKey): Promise<void>;
  /** Deletes the deliveries of all spaces before `time`, a limited number per statement, until `signal` aborts. */
  removeBefore(time: number, signal: AbortSignal): Promise<void>;
}

/** Maximum number of successful deliveries per subscription. */
export const MAX_DELIVERED = 10_000;
/** Maximum size of the successful deliveries of a subscription, in characters. */
export const MAX_DELIVERED_SIZE = 32 * 1024 * 1024;
const REMOVED_PER_STATEMENT = 1000;

export function createSuccessfulDeliveryRepository(db: Database): SuccessfulDeliveryRepository {
  const of = ({ spaceId, subscriptionId }: SubscriptionKey) =>
    db
      .selectFrom('successful_deliveries')
      .where('space_id', '=', spaceId)
      .where('subscription_id', '=', subscriptionId);
  return {
    list: (key, before, since, limit) =>
      of(key)
        .where('delivered_at', '>=', since)
        .$if(before !== null, (query) => query.where('sequence', '<', before ?? 0))
        .orderBy('sequence', 'desc')
        .limit(limit)
        .selectAll()
        .execute(),
    find: (key, position, since) =>
      of(key)
        .where('position', '=', position)
        .where('delivered_at', '>=', since)
        .orderBy('sequence', 'desc')
        .limit(1)
        .selectAll()
        .executeTakeFirst(),
    trim: async (key) => {
      const { spaceId, subscriptionId } = key;
      const newestFirst = sql`order by sequence desc rows unbounded preceding`;
      const ranked = of(key)
        .select('sequence')
        .select(sql<number>`row_number() over (order by sequence desc)`.as('number'))
        .select(sql<number>`sum(bytes) over (${newestFirst})`.as('size'))
        .as('ranked');
      const excess = await db
        .selectFrom(ranked)
        .where(({ eb, or }) =>
          or([eb('number', '>', MAX_DELIVERED), eb('size', '>', MAX_DELIVERED_SIZE)]),
        )
        .select(({ fn }) => fn.max('sequence').as('sequence'))
        .executeTakeFirst();
      if (excess?.sequence == null) return;
      await db
        .deleteFrom('successful_deliveries')
        .where('space_id', '=', spaceId)
        .where('subscription_id', '=', subscriptionId)
        .where('sequence', '<=', Number(excess.sequence))
        .execute();
    },
    removeBefore: async (time, signal) => {
      const oldest = db
        .selectFrom('successful_deliveries')
        .where('delivered_at', '<', time)
        .orderBy('delivered_at')
        .limit(REMOVED_PER_STATEMENT)
        .select(['space_id', 'subscription_id', 'sequence']);
      let removed = REMOVED_PER_STATEMENT;
      while (removed === REMOVED_PER_STATEMENT && !signal.aborted) {
        const { numDeletedRows } = await db
          .deleteFrom('successful_deliveries')
          .where(({ eb, refTuple }) =>
            eb(
              refTuple('space_id', 'subscription_id', 'sequence'),
              'in',
              oldest.$asTuple('space_id', 'subscription_id', 'sequence'),
            ),
          )
          .executeTakeFirst();
        removed = Number(numDeletedRows);
      }
    },
  };
}
