import type { CloudEvent } from '../../events/events.ts';
import type { List } from '../../http/list.ts';
import type { RequestOptions } from '../../options.ts';
import type { Delivery, DeliveryPage, DeliveryQuery } from '../../types.ts';
import { Resource } from '../resource.ts';

/** A delivery with its event. */
export interface DeliveryWithEvent extends Delivery {
  readonly event: CloudEvent;
}

/** Deliveries of a subscription that wait, were parked after three days of failures, or succeeded. */
export class Deliveries extends Resource {
  /**
   * Lists deliveries. Without `state`, the list contains waiting and parked deliveries.
   *
   * @example
   * const parked = gatehouse.deliveries.list(subscriptionId, { state: 'parked' });
   * for await (const { eventId, failure } of parked) console.log(eventId, failure);
   */
  list(
    subscriptionId: string,
    query?: DeliveryQuery,
    options?: RequestOptions,
  ): List<DeliveryPage> {
    const input = { params: [subscriptionId], query } as const;
    return this.api.list(
      'GET /spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries',
      input,
      options,
    );
  }

  /**
   * Returns a delivery with its event.
   *
   * @example
   * const { event, attemptLog } = await gatehouse.deliveries.get(subscriptionId, deliveryId);
   */
  get(
    subscriptionId: string,
    deliveryId: string,
    options?: RequestOptions,
  ): Promise<DeliveryWithEvent> {
    const input = { params: [subscriptionId, deliveryId] } as const;
    return this.api.send(
      'GET /spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}',
      input,
      options,
    ) as Promise<unknown> as Promise<DeliveryWithEvent>;
  }

  /**
   * Resends a waiting or parked delivery.
   *
   * @example
   * const { state } = await gatehouse.deliveries.resend(subscriptionId, deliveryId);
   */
  resend(subscriptionId: string, deliveryId: string, options?: RequestOptions): Promise<Delivery> {
    const input = { params: [subscriptionId, deliveryId] } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}/resend',
      input,
      options,
    );
  }

  /**
   * Resends all parked deliveries.
   *
   * @example
   * const { count } = await gatehouse.deliveries.resendAll(subscriptionId);
   */
  resendAll(subscriptionId: string, options?: RequestOptions): Promise<{ count: number }> {
    const input = { params: [subscriptionId] } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/resend',
      input,
      options,
    );
  }

  /**
   * Discards a waiting or parked delivery. The event remains stored.
   *
   * @example
   * await gatehouse.deliveries.delete(subscriptionId, deliveryId);
   */
  delete(subscriptionId: string, deliveryId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [subscriptionId, deliveryId] } as const;
    return this.api.send(
      'DELETE /spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}',
      input,
      options,
    );
  }
}
