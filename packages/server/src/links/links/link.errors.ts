import { ApiError, invalidRequest } from '@gatehouse/contract';
import { notFound, secondsText, tooMany, unauthorized } from '../../http/index.ts';

type Headers = Readonly<Record<string, string>>;

/** Also the error for a link that the caller may not see, so callers cannot probe for IDs. */
export function noSuchLink(): ApiError {
  return notFound('links.not-found', 'No link with this ID exists, or you may not see it.');
}

export function botOfAnotherSpace(): ApiError {
  return invalidRequest('links', ['botId: is not a bot of this space']);
}

/** The space requires a filter, and the request has none or one that matches everything. */
export function filterRequired(): ApiError {
  const problem =
    'permissionFilter: is required in this space and must not match everything; list the documents that this link may show, such as {"department":{"eq":"sales"}}';
  return new ApiError({
    status: 400,
    code: 'links.filter-required',
    message: `The request has a problem: ${problem}.`,
    issues: [{ message: problem }],
  });
}

export function spaceNeeded(): ApiError {
  return invalidRequest('links', ['spaceId: is required with a session']);
}

export function unknownToken(): ApiError {
  return unauthorized('links.unknown', 'No link has this token; ask for a new link.');
}

export interface EndedLink {
  readonly state: 'expired' | 'revoked';
  /** A page where the user can get a new link. */
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

/** The token is not a widget session of this service, or its link was deleted. */
export function invalidSession(): ApiError {
  return unauthorized(
    'links.session-invalid',
    'This is not a valid widget session token; exchange the link again for a new token.',
  );
}

/**
 * The widget sessions of a link together exceed the limit of the link.
 *
 * @param seconds time until a retry may succeed.
 */
export function tooManyReads(seconds: number): ApiError {
  return tooMany(
    'links.too-many-reads',
    `The widget sessions of this link have sent too many searches and reads. Try again in ${secondsText(seconds)}.`,
    seconds,
  );
}

/** The session has expired and its link is still active. */
export function sessionExpired(): ApiError {
  return unauthorized(
    'links.session-expired',
    'The widget session has expired; exchange the link again.',
  );
}
