import { ApiError } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

/** The event failed for a reason that its sender cannot fix. */
export function eventFailed(): ApiError {
  return new ApiError({
    status: 500,
    code: 'knowledge.event-failed',
    message: 'The event could not be applied. The log of the service has the reason.',
  });
}

/** The document in the event has a key, so only requests with the key replace the document. */
export function keyedDocument(): ApiError {
  return conflict(
    'knowledge.other-key',
    'data.documentId: identifies a document that has a key; omit this member.',
  );
}

export function otherSubject(): ApiError {
  return conflict(
    'knowledge.other-subject',
    'data.documentId: is the document of another subject; omit this member.',
  );
}

export function noSuchEvent(): ApiError {
  return notFound('knowledge.event-not-found', 'This space has no document event with this ID.');
}

export function eventGone(): ApiError {
  return conflict(
    'knowledge.event-gone',
    'The event is past the retention of its space; send the document in a new event.',
  );
}
