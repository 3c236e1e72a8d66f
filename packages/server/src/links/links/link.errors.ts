import { ApiError, invalidRequest } from '@gatehouse/contract';

type Headers = Readonly<Record<string, string>>;

/** No link of the caller's has this id; also for another's, so that nobody can probe for ids. */
export function noSuchLink(): ApiError {
  return new ApiError({
    status: 404,
    code: 'links.not-found',
    message: 'There is no such link among those you may see.',
  });
}

export function botOfAnotherSpace(): ApiError {
  return invalidRequest('links', ['botId: is not a bot of this space']);
}

/** A person may edit several spaces, so that only a key has one of its own. */
export function spaceNeeded(): ApiError {
  return invalidRequest('links', ['spaceId: is required with a session']);
}

export function unknownToken(): ApiError {
  return new ApiError({
    status: 401,
    code: 'links.unknown',
    message: 'No link has this token; ask for a new link.',
  });
}

/** What a link that has ended answers; `loginUrl` is where a person can get a new one. */
export interface EndedLink {
  readonly state: 'expired' | 'revoked';
  readonly loginUrl?: string | undefined;
  readonly headers?: Headers;
}

export function linkEnded({ state, loginUrl, headers }: EndedLink): ApiError {
  return new ApiError({
    status: 410,
    code: state === 'expired' ? 'links.expired' : 'links.revoked',
    message:
      state === 'expired'
        ? 'This link has expired; ask for a new one.'
        : 'This link was revoked; ask for a new one.',
    headers: headers ?? {},
    ...(loginUrl === undefined ? {} : { extra: { loginUrl } }),
  });
}

/** The token of a widget session is none of ours, or its link is gone. */
export function invalidSession(): ApiError {
  return new ApiError({
    status: 401,
    code: 'links.session-invalid',
    message: 'This is not the token of a widget session; exchange the link for one.',
  });
}

/** The session's minutes are over while its link still lives. */
export function sessionExpired(): ApiError {
  return new ApiError({
    status: 401,
    code: 'links.session-expired',
    message: 'The widget session has ended; exchange the link again.',
  });
}
