import { ApiError, type Issue, invalidRequest } from '@gatehouse/contract';

export function noSuchDocument(): ApiError {
  return new ApiError({
    status: 404,
    code: 'knowledge.not-found',
    message: 'There is no such document among those you may see.',
  });
}

export function invalid(issues: readonly Issue[]): ApiError {
  return invalidRequest('knowledge', issues.map(messageOf));
}

/** An event that says of a document what cannot be. */
export function invalidEvent(issues: readonly Issue[]): ApiError {
  return invalidRequest('knowledge', issues.map(messageOf), 'event');
}

function messageOf({ message }: Issue): string {
  return message;
}

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

/** A file that is none of the formats whose text can be read. */
export function unknownFormat(message: string): ApiError {
  return new ApiError({ status: 415, code: 'knowledge.format-unknown', message });
}

export function tooLarge(limit: number): ApiError {
  return new ApiError({
    status: 413,
    code: 'knowledge.too-large',
    message: `A document may have ${limit / 1024 / 1024} MiB; split it, or leave out what need not be found.`,
  });
}

/** A widget session asked about another space than its link's. */
export function otherSpace(): ApiError {
  return new ApiError({
    status: 403,
    code: 'access.forbidden',
    message: 'A widget session sees only the space of its link.',
  });
}

/** The space was deleted after the right to it was checked. */
export function spaceGone(): ApiError {
  return new ApiError({
    status: 403,
    code: 'access.forbidden',
    message: 'The space was deleted while the request was under way.',
  });
}
