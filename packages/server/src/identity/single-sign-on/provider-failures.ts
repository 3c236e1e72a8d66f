import type { ApiError } from '@gatehouse/contract';
import { ProviderUnreachable } from './bounded-fetch.ts';
import {
  clientRejected,
  codeRejected,
  invalidResponse,
  providerUnavailable,
  signInDenied,
} from './single-sign-on.errors.ts';

export interface ProviderFailure {
  readonly error: ApiError;
  /** Reason for the log, without tokens, claims and other values of the provider. */
  readonly reason: Readonly<Record<string, string>>;
}

/** The ID token fails a check that oauth4webapi does not make. The message contains no data of the provider. */
export class InvalidIdToken extends Error {
  override readonly name = 'InvalidIdToken';
}

/** Codes of errors of oauth4webapi that mean an unusable response and not an attack. */
const UNUSABLE: ReadonlySet<string> = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
]);

/**
 * Returns the failure for an error of `boundedFetch` or oauth4webapi. An unknown error is an invalid response, because malformed
 * keys and tokens cause errors of many types.
 */
export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderUnreachable) {
    const { code = '' } = (error.cause ?? {}) as LibraryError;
    const reason = { reason: error.message };
    return {
      error: providerUnavailable(),
      reason: isLibraryCode(code) ? { ...reason, code } : reason,
    };
  }
  if (error instanceof InvalidIdToken)
    return { error: invalidResponse(), reason: { reason: error.message } };
  const { code, message, error: oauthError } = error as LibraryError;
  if (!isLibraryCode(code))
    return {
      error: invalidResponse(),
      reason: { reason: 'the response is malformed', code: (error as Error).name },
    };
  const answered = nameOf(oauthError);
  return {
    error: errorFor(code, answered),
    reason: { code, reason: String(message), ...(answered === '' ? {} : { answered }) },
  };
}

function isLibraryCode(code: unknown): code is string {
  return typeof code === 'string' && code.startsWith('OAUTH_');
}

/** The members of the library's errors that are safe to log. Their `cause` contains tokens and claims. */
interface LibraryError {
  readonly code?: unknown;
  /** A fixed text. */
  readonly message?: unknown;
  /** The member `error` of an OAuth error response, such as `invalid_grant`. */
  readonly error?: unknown;
}

function nameOf(oauthError: unknown): string {
  return typeof oauthError === 'string' && /^\w{1,64}$/.test(oauthError) ? oauthError : '';
}

function errorFor(code: string, answered: string): ApiError {
  switch (code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      return isTemporary(answered) ? providerUnavailable() : signInDenied();
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return clientRejected();
    case 'OAUTH_RESPONSE_BODY_ERROR':
      if (answered === 'invalid_grant') return codeRejected();
      return /^(invalid|unauthorized)_client$/.test(answered)
        ? clientRejected()
        : providerUnavailable();
    default:
      return UNUSABLE.has(code) ? providerUnavailable() : invalidResponse();
  }
}

function isTemporary(answered: string): boolean {
  return answered === 'server_error' || answered === 'temporarily_unavailable';
}
