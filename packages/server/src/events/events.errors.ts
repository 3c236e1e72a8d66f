import { ApiError, type Issue } from '@gatehouse/contract';
import type { Refusal } from './event-credentials.service.ts';

const HOW = 'send an API key with the scope events:write, or a session and ?spaceId=';

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

/** 401: signatures cannot be verified yet, so they prove nothing. */
export function signatureUnsupported(): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.signature-unsupported',
    message: `This release does not verify signatures; ${HOW}.`,
  });
}

/** 400: a session does not say which space. */
export function spaceMissing(): ApiError {
  return new ApiError({
    status: 400,
    code: 'events.invalid',
    message: 'With a session the space must be named: add ?spaceId= with its id.',
    issues: [{ message: 'spaceId: is required with a session' }],
  });
}

export function invalidQuery(message: string): ApiError {
  return new ApiError({
    status: 400,
    code: 'events.invalid',
    message: `The request has a problem: ${message}.`,
    issues: [{ message }],
  });
}
