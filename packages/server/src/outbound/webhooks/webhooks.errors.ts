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

export function tooManySubscriptions(limit: number): ApiError {
  return new ApiError({
    status: 409,
    code: 'deliveries.too-many',
    message: `A space can have at most ${limit} subscriptions; delete one first.`,
  });
}
