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

export function tooManySubscriptions(limit: number): ApiError {
  return new ApiError({
    status: 409,
    code: 'deliveries.too-many',
    message: `A space can have at most ${limit} subscriptions; delete one first.`,
  });
}
