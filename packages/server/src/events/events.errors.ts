import { ApiError, type Issue } from '@gatehouse/contract';

const HOW = 'send an API key with the scope events:write, or a session and ?spaceId=';

/** 401: nobody says who sends this. */
export function noCredential(): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.no-credential',
    message: `The request carries no credential; ${HOW}.`,
  });
}

/** 401: credentials stand in the events, and none of them is accepted. */
export function noneAccepted(issues: readonly Issue[]): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.no-credential',
    message: `No event carries an accepted credential; ${HOW}.`,
    issues,
  });
}

/** 401: the credential that decides for the whole request is not accepted. */
export function refusedCredential(problem: string): ApiError {
  return new ApiError({
    status: 401,
    code: 'events.unknown-credential',
    message: `The credential is not accepted; ${HOW}.`,
    issues: [{ message: problem }],
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
