import { ApiError } from '@gatehouse/contract';
import { conflict, denied, notFound, secondsText, tooMany, unauthorized } from '../http/index.ts';

export function noSession(): ApiError {
  return unauthorized(
    'chat.no-session',
    'A widget session is required. Exchange the token of an access link for a session.',
  );
}

/** The credential is valid but is not a widget session. */
export function widgetSessionNeeded(): ApiError {
  return denied(
    'chat.wrong-credential',
    'The chat accepts only widget sessions. Exchange the token of an access link for a session.',
  );
}

export function noSuchConversation(): ApiError {
  return notFound('chat.conversation-not-found', 'This space has no conversation with this ID.');
}

/** @param seconds time until the next question is allowed. */
export function tooManyTurns(seconds: number): ApiError {
  return tooMany(
    'chat.too-many-turns',
    `You have asked too many questions in a short time. Try again in ${secondsText(seconds)}.`,
    seconds,
  );
}

/**
 * The users of a link together exceed the limit of the link.
 *
 * @param seconds time until a retry may succeed.
 */
export function linkBusy(seconds: number): ApiError {
  return tooMany(
    'chat.link-busy',
    `This link has received too many questions. Try again in ${secondsText(seconds)}.`,
    seconds,
  );
}

export function turnRunning(): ApiError {
  return tooMany(
    'chat.turn-running',
    'Another answer is still in progress. Wait until it is finished, or stop it.',
    2,
  );
}

/** The turn would delete messages that the client does not know, for example from another tab. */
export function newerQuestion(): ApiError {
  return conflict(
    'chat.newer-question',
    'The conversation has newer messages. Load it again. To delete them, send `messageId`, and add their IDs to `knownMessageIds` if you send it.',
  );
}

/** Also the error for another person's answer, so callers cannot probe for IDs. */
export function noSuchAnswer(): ApiError {
  return notFound('chat.not-found', 'You have no stored answer with this ID.');
}

/** The filter of the space has changed since the answer started, so the answer may quote a document that is now hidden. */
export function permissionsChanged(): ApiError {
  return conflict(
    'chat.permissions-changed',
    'The visible documents have changed during the answer. Please ask the question again.',
  );
}

/** The bot has no handoff, or the link stores no conversations. */
export function handoffUnavailable(): ApiError {
  return notFound(
    'chat.handoff-unavailable',
    'This assistant hands no conversations over to people.',
  );
}

/** The handoff has ended or was never requested. */
export function noHandoff(): ApiError {
  return conflict(
    'chat.no-handoff',
    'The conversation is not handed over, so the assistant answers.',
  );
}

export function authorRequired(): ApiError {
  const issue = 'author: is required with an API key, because the visitor sees who is writing';
  return new ApiError({
    status: 400,
    code: 'chat.invalid',
    message: issue,
    issues: [{ message: issue }],
  });
}

export function tooManyStreams(): ApiError {
  return tooMany(
    'chat.too-many-streams',
    'Too many streams are open for this person. Close one of them.',
    10,
  );
}
