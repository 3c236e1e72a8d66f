import { ApiError, type Issue, invalidRequest } from '@gatehouse/contract';

export function noSuchDocument(): ApiError {
  return new ApiError({
    status: 404,
    code: 'knowledge.not-found',
    message: 'There is no such document among those you may see.',
  });
}

/** @param subject the invalid thing, in the message. */
export function invalid(issues: readonly Issue[], subject?: 'event'): ApiError {
  const messages = issues.map(({ message }) => message);
  return invalidRequest('knowledge', messages, subject);
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

/** The space was deleted after the right to it was checked. */
export function spaceGone(): ApiError {
  return new ApiError({
    status: 403,
    code: 'access.forbidden',
    message: 'The space was deleted while the request was under way.',
  });
}
