import { ApiError } from '@gatehouse/contract';

/** Also for a subscription of another space, so that nobody can probe for ids. */
export function noSuchSubscription(): ApiError {
  return new ApiError({
    status: 404,
    code: 'deliveries.no-subscription',
    message: 'There is no such subscription in this space.',
  });
}

export function noSuchDelivery(): ApiError {
  return new ApiError({
    status: 404,
    code: 'deliveries.not-found',
    message: 'There is no such delivery of this subscription that waits or is parked.',
  });
}

export function tooManySubscriptions(limit: number): ApiError {
  return new ApiError({
    status: 409,
    code: 'deliveries.too-many',
    message: `A space has ${limit} subscriptions at most; delete one.`,
  });
}
