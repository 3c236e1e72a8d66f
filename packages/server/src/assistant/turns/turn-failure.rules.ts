import { ApiError } from '@gatehouse/contract';
import { StorageTooSlow, StorageUnavailable, TimeBudgetUsed } from '../../lib/threads/index.ts';
import { AnswerFailure } from '../answerer.ts';

/** The reason why an answer is missing or incomplete, as reported to the client. */
export interface TurnFailure {
  /** `chat.<reason>`, or `links.<reason>` if the link has ended. Stable. */
  readonly code: string;
  readonly message: string;
  /** `true` if a retry may succeed. */
  readonly retriable: boolean;
}

export class ServiceEnding extends Error {
  override readonly name = 'ServiceEnding';
}

/**
 * Converts the error of a failed answer to a failure that can be sent to the client.
 *
 * @param requestId ID of the request, with which the operator finds the details in the log.
 */
export function turnFailure(error: unknown, requestId: string): TurnFailure {
  if (error instanceof AnswerFailure)
    return {
      code: `chat.answer-${error.code}`,
      message: error.message,
      retriable: error.retriable,
    };
  // The link has ended, or the filter of the space has changed.
  if (error instanceof ApiError)
    return { code: error.code, message: error.message, retriable: error.status === 409 };
  if (error instanceof ServiceEnding)
    return {
      code: 'chat.restarting',
      message: 'The service is restarting. Please try again in a moment.',
      retriable: true,
    };
  if (error instanceof StorageUnavailable && error.reason === 'overloaded')
    return turnFailure(new AnswerFailure('overloaded', 'storage overloaded'), requestId);
  if (error instanceof TimeBudgetUsed)
    return turnFailure(new AnswerFailure('overloaded', error.message), requestId);
  if (error instanceof StorageUnavailable)
    return {
      code: 'chat.not-kept',
      message: 'The answer could not be saved. Please try again later.',
      retriable: true,
    };
  if (error instanceof StorageTooSlow)
    return {
      code: 'chat.search-too-slow',
      message: 'Searching the documents takes too long. Please contact the administrator.',
      retriable: false,
    };
  return {
    code: 'chat.internal',
    message: `Something went wrong. The server log contains details for request ${requestId}.`,
    retriable: true,
  };
}
