import { ApiError } from '@gatehouse/contract';

/** For a reason that is no matter of its sender. */
export function eventFailed(): ApiError {
  return new ApiError({
    status: 500,
    code: 'knowledge.event-failed',
    message: 'The event could not be applied, for a reason in the log of the service.',
  });
}

export function otherSubject(): ApiError {
  return new ApiError({
    status: 409,
    code: 'knowledge.other-subject',
    message: 'data.documentId: is the document of another subject; leave it out.',
  });
}

export function noSuchEvent(): ApiError {
  return new ApiError({
    status: 404,
    code: 'knowledge.event-not-found',
    message: 'There is no document event with this id in this space.',
  });
}

export function eventGone(): ApiError {
  return new ApiError({
    status: 409,
    code: 'knowledge.event-gone',
    message: 'The event is not kept any more; send the document again in an event of its own id.',
  });
}
