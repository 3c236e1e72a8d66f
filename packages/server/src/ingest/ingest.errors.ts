import { ApiError, type Issue } from '@gatehouse/contract';
import { secondsText, tooMany, unauthorized } from '../http/index.ts';
import type { Rejection } from './credentials/authorisation.ts';

const HOW_TO_AUTHENTICATE =
  'send an API key with the scope events:write, a session and ?spaceId=, or the signature of an event source';

export function noCredential(): ApiError {
  return unauthorized(
    'events.no-credential',
    `The request has no credential; ${HOW_TO_AUTHENTICATE}.`,
  );
}

/** @param problems one problem per event, starting with its path. */
export function noneAccepted(problems: readonly string[]): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.no-credential',
    message: `No event has an accepted credential; ${HOW_TO_AUTHENTICATE}.`,
    issues: problems.map((problem, index) => ({ message: atEvent(index, problem) })),
  });
}

function atEvent(index: number, problem: string): string {
  const path = `events[${index}]`;
  return problem.startsWith('event:') ? path + problem.slice(5) : `${path}.${problem}`;
}

export function rejectedCredential({ reason, problem }: Rejection): ApiError {
  const issues: readonly Issue[] = [{ message: problem }];
  return reason === 'forbidden'
    ? new ApiError({
        status: 403,
        code: 'events.forbidden',
        message: `The API key may not send these events; ${HOW_TO_AUTHENTICATE}.`,
        issues,
      })
    : new ApiError({
        status: 401,
        code: 'events.unknown-credential',
        message: `The credential is not accepted; ${HOW_TO_AUTHENTICATE}.`,
        issues,
      });
}

export function webhookHeadersInvalid(problems: readonly string[]): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.webhook-headers-invalid',
    message: `The webhook headers are invalid: ${problems.join('; ')}.`,
    issues: problems.map((message) => ({ message })),
  });
}

/** Returns the same 401 for every cause, so callers cannot probe for sources and secrets. */
export function signatureRejected(): ApiError {
  return unauthorized(
    'events.signature-refused',
    'The webhook signature does not prove the sender of these events. Check that an event source is registered for the source of every event, that the secret is current, and that the signed text is <webhook-id>.<webhook-timestamp>.<body> with the exact bytes of the body. Add ?spaceId= if several spaces register the source.',
  );
}

/** In binary mode the signature covers only the body, so an intermediary could change the attributes. */
export function dataAloneIsSigned(): ApiError {
  return unauthorized(
    'events.signature-refused',
    'In binary mode a webhook signature covers the data but not the attributes in the headers. Send the event as application/cloudevents+json.',
  );
}

/**
 * @param rate the limit per second with its unit, such as `1000 events`.
 * @param seconds time until the next request is accepted.
 */
export function rateLimited(who: 'API key' | 'space', rate: string, seconds: number): ApiError {
  return tooMany(
    'events.rate-limited',
    `This ${who} exceeds its limit of ${rate} per second; no event of this request was stored. Retry in ${secondsText(seconds)}.`,
    seconds,
  );
}
