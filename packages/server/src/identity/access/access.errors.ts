import { ApiError, type Role, type Scope } from '@gatehouse/contract';

export function noCredential(): ApiError {
  return new ApiError({
    status: 401,
    code: 'access.no-credential',
    message:
      'This needs a credential: send `Authorization: Bearer <session or API key>`, or `X-API-Key: <key>`.',
  });
}

export function malformedCredential(message: string): ApiError {
  return new ApiError({ status: 401, code: 'access.malformed-credential', message });
}

export function unknownKey(): ApiError {
  return new ApiError({
    status: 401,
    code: 'access.unknown-credential',
    message: 'This API key is unknown, expired or revoked.',
  });
}

export function unknownSession(): ApiError {
  return new ApiError({
    status: 401,
    code: 'access.unknown-credential',
    message: 'This session is unknown or over; sign in again.',
  });
}

/** A live credential of a kind that this operation does not take. */
export function wrongCredential(kind: 'API key' | 'widget session'): ApiError {
  const instead =
    kind === 'API key' ? 'sign in and send the session' : 'send a session or an API key';
  return new ApiError({
    status: 403,
    code: 'access.wrong-credential',
    message: `This cannot be done with ${kind === 'API key' ? 'an' : 'a'} ${kind}; ${instead}.`,
  });
}

/** One answer for every wrong email, wrong password and disabled user. */
export function signInFailed(): ApiError {
  return new ApiError({
    status: 401,
    code: 'access.sign-in-failed',
    message: 'The e-mail address and the password do not belong together.',
  });
}

/** A valid credential without the right; the same where the thing itself does not exist. */
export function forbidden(needed: string): ApiError {
  return new ApiError({
    status: 403,
    code: 'access.forbidden',
    message: `This needs ${needed}.`,
  });
}

/** What `forbidden` says to a user that asks for a space. */
export function roleOnSpace(role: Role): string {
  return `the role ${atLeast(role)} on at least one bot of the space`;
}

/** What `forbidden` says to a user that asks for a bot. */
export function roleOnBot(role: Role): string {
  return `the role ${atLeast(role)} on the bot`;
}

/** What `forbidden` says to an API key. */
export function scopeInSpace(scope: Scope): string {
  return `an API key of that very space with the scope \`${scope}\``;
}

function atLeast(role: Role): string {
  switch (role) {
    case 'viewer':
      return '`viewer`, `editor` or `owner`';
    case 'editor':
      return '`editor` or `owner`';
    case 'owner':
      return '`owner`';
  }
}
