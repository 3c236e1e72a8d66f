import type { ApiError } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

/** Also returned for a subscription of another space, so callers cannot probe for IDs. */
export function noSuchSubscription(): ApiError {
  return notFound(
    'deliveries.no-subscription',
    'No subscription with this ID exists in this space.',
  );
}

export function noSuchDelivery(): ApiError {
  return notFound(
    'deliveries.not-found',
    'This subscription has no waiting or parked delivery with this ID.',
  );
}

/** Thrown for a successful delivery too, if its event is no longer stored. */
export function noShownDelivery(): ApiError {
  return notFound(
    'deliveries.not-found',
    'This subscription has no delivery with this ID, or the event of the delivery has been removed.',
  );
}

export function replayIsRunning(from: number): ApiError {
  return conflict(
    'deliveries.replay-running',
    `A replay from ${new Date(from).toISOString()} is running; wait until it has finished, or cancel it first.`,
  );
}

export function subscriptionNotActive(): ApiError {
  return conflict(
    'deliveries.not-active',
    'The subscription is not active; set its state to `active` first.',
  );
}

export function noRunningReplay(): ApiError {
  return notFound(
    'deliveries.no-replay',
    'No replay of a subscription with this ID is running in this space.',
  );
}

export function tooManySubscriptions(limit: number): ApiError {
  return conflict(
    'deliveries.too-many',
    `A space can have at most ${limit} subscriptions; delete one first.`,
  );
}
