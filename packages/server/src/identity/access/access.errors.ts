import { ApiError, type Role, type Scope } from '@gatehouse/contract';
import { denied, secondsText, tooMany, unauthorized } from '../../http/index.ts';

export function noCredential(): ApiError {
  return unauthorized(
    'access.no-credential',
    'A credential is required; send `Authorization: Bearer <session or API key>` or `X-API-Key: <key>`.',
  );
}

export function malformedCredential(message: string): ApiError {
  return new ApiError({ status: 401, code: 'access.malformed-credential', message });
}

export function unknownKey(): ApiError {
  return unauthorized('access.unknown-credential', 'This API key is unknown, expired or revoked.');
}

export function unknownSession(): ApiError {
  return unauthorized(
    'access.unknown-credential',
    'This session is unknown or has ended; sign in again.',
  );
}

/** The token of a request is not a session. It can also be an incomplete API key or the token of a link. */
export function unknownToken(): ApiError {
  return unauthorized(
    'access.unknown-credential',
    'This token is neither an API key, which starts with `gh_`, nor a valid session; send a complete key, or sign in again. Exchange the token of a link for a widget session at `/assistant-link/exchange`.',
  );
}

/** The credential is valid, but the operation does not accept this kind of credential. */
export function wrongCredential(kind: 'API key' | 'widget session'): ApiError {
  const instead =
    kind === 'API key' ? 'sign in and send the session' : 'send a session or an API key';
  return denied(
    'access.wrong-credential',
    `This operation does not accept ${kind === 'API key' ? 'an' : 'a'} ${kind}; ${instead}.`,
  );
}

/** A request with the cookie of a console session came from a page of another origin, possibly without the user's knowledge. */
export function otherOrigin(baseUrl: string): ApiError {
  return denied(
    'access.other-origin',
    `A console session works only on pages of ${baseUrl}; open ${baseUrl}/console.`,
  );
}

/** Without TLS, everybody on the network could read the cookie of a console session. */
export function tlsRequired(): ApiError {
  return denied(
    'access.tls-required',
    'The console needs HTTPS, except on a loopback address such as http://localhost:8080; set GATEHOUSE_BASE_URL to the https:// URL of the service.',
  );
}

/** The error does not reveal whether the email is unknown, the password is wrong or the user is disabled. */
export function signInFailed(): ApiError {
  return unauthorized('access.sign-in-failed', 'The email address or the password is wrong.');
}

/** The error for an account that is blocked after failed attempts, and for an unknown email that is blocked in the same way. */
export function tooManyFailures(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  return tooMany(
    'access.too-many-failures',
    `Too many failed attempts for this account; retry in ${secondsText(seconds)}.`,
    seconds,
  );
}

/** The caller lacks a right. Also the error for a space or bot that does not exist. */
export function forbidden(needed: string): ApiError {
  return denied('access.forbidden', `This operation requires ${needed}.`);
}

export function roleOnSpace(role: Role): string {
  return `the role ${atLeast(role)} on at least one bot of the space`;
}

export const OWNER_OF_SPACE = 'the role `owner` on every bot of the space';

/** The error does not reveal `conversationAccess` of the space, nor that the space exists. */
export const READER_OF_CONVERSATIONS =
  'the right that `conversationAccess` of the space gives, or an API key of the space with the scope `conversations:read`. If `conversationAccess` is `nobody`, nobody may read the conversations';

export const ANSWERER_OF_CONVERSATIONS =
  'the right that `conversationAccess` of the space gives, or an API key of the space with the scope `conversations:write`. If `conversationAccess` is `nobody`, nobody may answer in conversations';

export function roleOnBot(role: Role): string {
  return `the role ${atLeast(role)} on the bot`;
}

export function scopeInSpace(scope: Scope): string {
  return `an API key of this space with the scope \`${scope}\``;
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
