import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  ListQuery,
  NewSubscription,
  Replay,
  SecretRotation,
  Subscription,
  SubscriptionChange,
  SubscriptionPage,
  SubscriptionTest,
  SubscriptionWithSecret,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** URLs that receive the events of a space. */
export class Subscriptions extends Resource {
  /**
   * Subscribes a URL to the events of a space. Only the result contains the secret for `webhooks.unwrap`.
   *
   * @example
   * const { id, secret } = await gatehouse.subscriptions.create({
   *   url: 'https://billing.example/hooks/gatehouse',
   *   types: ['example.order.*'],
   * });
   */
  create(subscription: NewSubscription, options?: CreateOptions): Promise<SubscriptionWithSecret> {
    return this.api.send('POST! /spaces/{spaceId}/subscriptions', { body: subscription }, options);
  }

  /**
   * Lists subscriptions, oldest first.
   *
   * @example
   * for await (const { url, state, lag } of gatehouse.subscriptions.list()) {
   *   console.log(url, state, lag);
   * }
   */
  list(query?: ListQuery, options?: RequestOptions): List<SubscriptionPage> {
    return this.api.list('GET /spaces/{spaceId}/subscriptions', { query }, options);
  }

  /**
   * Returns a subscription and its status.
   *
   * @example
   * const { waiting, parked, lastFailure } = await gatehouse.subscriptions.get(subscriptionId);
   */
  get(subscriptionId: string, options?: RequestOptions): Promise<Subscription> {
    const input = { params: [subscriptionId] } as const;
    return this.api.send('GET /spaces/{spaceId}/subscriptions/{subscriptionId}', input, options);
  }

  /**
   * Changes, disables or resumes a subscription.
   *
   * @example
   * await gatehouse.subscriptions.update(subscriptionId, { state: 'disabled' });
   */
  update(
    subscriptionId: string,
    change: SubscriptionChange,
    options?: RequestOptions,
  ): Promise<Subscription> {
    const input = { params: [subscriptionId], body: change } as const;
    return this.api.send('PATCH /spaces/{spaceId}/subscriptions/{subscriptionId}', input, options);
  }

  /**
   * Rotates the secret of a subscription. Both secrets sign deliveries for a day, or for `keepOldSeconds`.
   *
   * @example
   * const { secret } = await gatehouse.subscriptions.rotateSecret(subscriptionId);
   */
  rotateSecret(
    subscriptionId: string,
    rotation: SecretRotation = {},
    options?: RequestOptions,
  ): Promise<SubscriptionWithSecret> {
    const input = { params: [subscriptionId], body: rotation } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/subscriptions/{subscriptionId}/secrets',
      input,
      options,
    );
  }

  /**
   * Sends a test event to a subscription and returns the result.
   *
   * @example
   * const { delivered, message } = await gatehouse.subscriptions.test(subscriptionId);
   */
  test(subscriptionId: string, options?: RequestOptions): Promise<SubscriptionTest> {
    const input = { params: [subscriptionId] } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/subscriptions/{subscriptionId}/test',
      input,
      options,
    );
  }

  /**
   * Deletes a subscription with its waiting and parked deliveries.
   *
   * @example
   * await gatehouse.subscriptions.delete(subscriptionId);
   */
  delete(subscriptionId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [subscriptionId] } as const;
    return this.api.send('DELETE /spaces/{spaceId}/subscriptions/{subscriptionId}', input, options);
  }

  /**
   * Resends all events that match the subscription and were received since `from`.
   *
   * @example
   * const { remaining } = await gatehouse.subscriptions.replay(subscriptionId, {
   *   from: '2026-10-18T00:00:00Z',
   * });
   */
  replay(
    subscriptionId: string,
    replay: { readonly from: string },
    options?: RequestOptions,
  ): Promise<Replay> {
    const input = { params: [subscriptionId], body: replay } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/subscriptions/{subscriptionId}/replay',
      input,
      options,
    );
  }

  /**
   * Cancels a running replay.
   *
   * @example
   * await gatehouse.subscriptions.cancelReplay(subscriptionId);
   */
  cancelReplay(subscriptionId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [subscriptionId] } as const;
    return this.api.send(
      'DELETE /spaces/{spaceId}/subscriptions/{subscriptionId}/replay',
      input,
      options,
    );
  }
}
