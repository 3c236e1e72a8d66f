import { ApiError } from '@gatehouse/contract';

/** Also returned for a subscription of another space, so callers cannot probe for IDs. */
export function noSuchSubscription(): ApiError {
  return new ApiError({
    status: 404,
    code: 'deliveries.no-subscription',
    message: 'No subscription with this ID exists in this space.',
  });
}

export function noSuchDelivery(): ApiError {
  return new ApiError({
    status: 404,
    code: 'deliveries.not-found',
    message: 'This subscription has no waiting or parked delivery with this ID.',
  });
}

/** Thrown for a successful delivery too, if its event is no longer stored. */
export function noShownDelivery(): ApiError {
  return new ApiError({
    status: 404,
    code: 'deliveries.not-found',
    message:
      'This subscription has no delivery with this ID, or the event of the delivery has been removed.',
  });
}

export function replayIsRunning(from: number): ApiError {
  return new ApiError({
    status: 409,
    code: 'deliveries.replay-running',
    message: `A replay from ${new Date(from).toISOString()} is running; wait until it has finished, or cancel it first.`,
  });
}

export function subscriptionNotActive(): ApiError {
  return new ApiError({
    status: 409,
    code: 'deliveries.not-active',
    message: 'The subscription is not active; set its state to `active` first.',
  });
}

export function noRunningReplay(): ApiError {
  return new ApiError({
    status: 404,
    code: 'deliveries.no-replay',
    message: 'No replay of a subscription with this ID is running in this space.',
  });
}

export function tooManySubscriptions(limit: number): ApiError {
  return new ApiError({
    status: 409,
    code: 'deliveries.too-many',
    message: `A space can have at most ${limit} subscriptions; delete one first.`,
  });
}
