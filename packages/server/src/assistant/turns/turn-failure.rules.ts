import { ApiError } from '@gatehouse/contract';
import { StorageTooSlow, StorageUnavailable } from '../../lib/threads/index.ts';
import { AnswerFailure } from '../answerer.ts';

/** Why there is no whole answer, in words for the person who asked. */
export interface TurnFailure {
  /** `chat.<reason>`, or `links.<reason>` where the link has ended; stable. */
  readonly code: string;
  readonly message: string;
  /** Whether asking again may help. */
  readonly retriable: boolean;
}

/** The service ends before the answer does. */
export class ServiceEnding extends Error {
  override readonly name = 'ServiceEnding';
}

/**
 * What a client is told when an answer breaks off.
 *
 * @param requestId under which the log has more.
 */
export function turnFailure(error: unknown, requestId: string): TurnFailure {
  if (error instanceof AnswerFailure)
    return {
      code: `chat.answer-${error.code}`,
      message: error.message,
      retriable: error.retriable,
    };
  // The link has ended, and says so itself.
  if (error instanceof ApiError)
    return { code: error.code, message: error.message, retriable: false };
  if (error instanceof ServiceEnding)
    return {
      code: 'chat.restarting',
      message: 'The service is being restarted. Please try again in a moment.',
      retriable: true,
    };
  // Too much waits to be searched or written.
  if (error instanceof StorageUnavailable && error.reason === 'overloaded')
    return turnFailure(new AnswerFailure('overloaded', 'the store'), requestId);
  if (error instanceof StorageUnavailable)
    return {
      code: 'chat.not-kept',
      message: 'The answer could not be kept. Please try again later.',
      retriable: true,
    };
  if (error instanceof StorageTooSlow)
    return {
      code: 'chat.search-too-slow',
      message:
        'Looking through the documents takes too long. Please tell whoever gave you this link.',
      retriable: false,
    };
  return {
    code: 'chat.internal',
    message: `Something went wrong on our side. The log has it under request ${requestId}.`,
    retriable: true,
  };
}
