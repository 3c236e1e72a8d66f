import { ApiError, type Issue } from '@gatehouse/contract';
import type { Refusal } from './credentials/judgement.ts';

const HOW =
  'send an API key with the scope events:write, a session and ?spaceId=, or the signature of an event source';

/** 401: nobody says who sends this. */
export function noCredential(): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.no-credential',
    message: `The request carries no credential; ${HOW}.`,
  });
}

/**
 * 401: no event of the request carries a credential that is accepted.
 *
 * @param problems one for each event, each beginning with the path in it.
 */
export function noneAccepted(problems: readonly string[]): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.no-credential',
    message: `No event carries an accepted credential; ${HOW}.`,
    issues: problems.map((problem, index) => ({ message: atEvent(index, problem) })),
  });
}

function atEvent(index: number, problem: string): string {
  const path = `events[${index}]`;
  return problem.startsWith('event:') ? path + problem.slice(5) : `${path}.${problem}`;
}

/** 401 or 403: the credential that decides for the whole request is not accepted. */
export function refusedCredential({ reason, problem }: Refusal): ApiError {
  const issues: readonly Issue[] = [{ message: problem }];
  return reason === 'forbidden'
    ? new ApiError({
        status: 403,
        code: 'events.forbidden',
        message: `The API key may not send these events; ${HOW}.`,
        issues,
      })
    : new ApiError({
        status: 401,
        code: 'events.unknown-credential',
        message: `The credential is not accepted; ${HOW}.`,
        issues,
      });
}

/** 401: the headers of Standard Webhooks are there, and wrong before the body is looked at. */
export function webhookHeadersInvalid(problems: readonly string[]): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.webhook-headers-invalid',
    message: `The web-hook headers prove nothing: ${problems.join('; ')}.`,
    issues: problems.map((message) => ({ message })),
  });
}

/** 401, the same whatever is wrong, so that nobody can probe for sources and secrets. */
export function signatureRefused(): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.signature-refused',
    message:
      'The web-hook signature does not prove who sends these events. Check that an event source is registered for the source of every event; that the secret is its current one; that what is signed is <webhook-id>.<webhook-timestamp>.<body>, with the bytes of the body as they are sent; and add ?spaceId= if several spaces register the source.',
  });
}

/** 401: in binary mode a signature of the body leaves the attributes to whoever passes it on. */
export function dataAloneIsSigned(): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.signature-refused',
    message:
      'In binary mode a web-hook signature proves the data and not the attributes in the headers; send the event as application/cloudevents+json.',
  });
}

/**
 * 429: more is sent than the operator lets one send.
 *
 * @param rate what may be sent in a second.
 * @param seconds until something may be sent again.
 */
export function rateLimited(who: 'API key' | 'space', rate: string, seconds: number): ApiError {
  return new ApiError({
    status: 429,
    code: 'events.rate-limited',
    message: `This ${who} sends more than ${rate} a second; nothing of this request was kept, send it again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}
