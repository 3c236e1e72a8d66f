import { ApiError } from '@gatehouse/contract';

export function noSession(): ApiError {
  return new ApiError({
    status: 401,
    code: 'chat.no-session',
    message: 'This needs a widget session: exchange the token of an access link for one.',
  });
}

/** A live credential, but of somebody who manages the service and does not talk to it. */
export function widgetSessionNeeded(): ApiError {
  return new ApiError({
    status: 403,
    code: 'chat.wrong-credential',
    message: 'The chat takes widget sessions alone; exchange the token of an access link for one.',
  });
}

/** @param seconds until one more is answered. */
export function tooManyTurns(seconds: number): ApiError {
  return new ApiError({
    status: 429,
    code: 'chat.too-many-turns',
    message: `You have asked much in a short time; ask again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}

/**
 * Too much is asked behind one link, by whoever has it.
 *
 * @param seconds until asking again may help.
 */
export function linkBusy(seconds: number): ApiError {
  return new ApiError({
    status: 429,
    code: 'chat.link-busy',
    message: `This assistant is asked much at the moment; ask again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}

export function turnRunning(): ApiError {
  return new ApiError({
    status: 429,
    code: 'chat.turn-running',
    message: 'Another answer is still under way; wait for it, or stop it.',
    headers: { 'retry-after': '2' },
  });
}

/** Also for another's, so that nobody can probe for ids. */
export function noSuchAnswer(): ApiError {
  return new ApiError({
    status: 404,
    code: 'chat.not-found',
    message: 'There is no such answer among those that were kept for you.',
  });
}
