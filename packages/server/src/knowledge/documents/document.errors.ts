import { ApiError, type Issue, invalidRequest, MAX_ISSUES } from '@gatehouse/contract';
import { conflict, denied, notFound } from '../../http/index.ts';

/** @param indexes Positions in the request's `ids` of documents that do not exist or that the caller may not see. */
export function noSuchDocuments(indexes: readonly number[]): ApiError {
  return new ApiError({
    status: 404,
    code: 'knowledge.not-found',
    message:
      'Some of the documents do not exist, or you may not see them. No document was changed.',
    issues: indexes
      .slice(0, MAX_ISSUES)
      .map((index) => ({ message: `ids[${index}]: No document with this ID exists.` })),
  });
}

export function noSuchDocument(): ApiError {
  return notFound('knowledge.not-found', 'No document with this ID exists, or you may not see it.');
}

/** The document is derived from events, so a change would be overwritten by the next event. */
export function documentIsRecord(): ApiError {
  return conflict(
    'knowledge.is-record',
    'This document is a record that a projection derives from events; send an event, or change the projection.',
  );
}

/** @param subject Names the invalid input in the message. Default: the request. */
export function invalid(issues: readonly Issue[], subject?: 'event'): ApiError {
  const messages = issues.map(({ message }) => message);
  return invalidRequest('knowledge', messages, subject);
}

export function unknownFormat(message: string): ApiError {
  return new ApiError({ status: 415, code: 'knowledge.format-unknown', message });
}

export function tooLarge(limit: number): ApiError {
  return new ApiError({
    status: 413,
    code: 'knowledge.too-large',
    message: `A document may have at most ${limit / 1024 / 1024} MiB; split the document or shorten it.`,
  });
}

/** The space was deleted after the access check. */
export function spaceGone(): ApiError {
  return denied('access.forbidden', 'The space was deleted during the request.');
}
