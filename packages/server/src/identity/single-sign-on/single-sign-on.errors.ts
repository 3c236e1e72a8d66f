import { ApiError } from '@gatehouse/contract';

/** Seconds after which a client retries if the provider is unavailable. */
const RETRY_SECONDS = '10';
const START_AGAIN = 'start again at /auth/sso/start';

function error(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError({ status, code, message, headers });
}

export function singleSignOnOff(): ApiError {
  return error(
    404,
    'access.sso-off',
    'Single sign-on is not configured; an operator must set GATEHOUSE_OIDC_ISSUER and related settings.',
  );
}

export function passwordSignInOff(): ApiError {
  return error(
    403,
    'access.password-sign-in-off',
    'Signing in with a password is switched off; sign in at /auth/sso/start.',
  );
}

export function providerUnavailable(): ApiError {
  return error(
    503,
    'access.sso-unavailable',
    'The OpenID provider is unavailable or its response is unusable; retry later. The log contains the reason.',
    { 'retry-after': RETRY_SECONDS },
  );
}

export function clientRejected(): ApiError {
  return error(
    503,
    'access.sso-misconfigured',
    'The OpenID provider rejected this service; an operator must compare GATEHOUSE_OIDC_CLIENT_ID and GATEHOUSE_OIDC_CLIENT_SECRET with the registration at the provider.',
    { 'retry-after': RETRY_SECONDS },
  );
}

/** The error does not reveal which of the checks failed. */
export function unknownAttempt(): ApiError {
  return error(
    400,
    'access.sso-state',
    `This sign-in was started in another browser, has expired or has already been used; ${START_AGAIN}.`,
  );
}

export function signInDenied(): ApiError {
  return error(
    401,
    'access.sso-denied',
    `The OpenID provider did not sign you in; ${START_AGAIN}. If this happens again, ask the administrator of the provider for access.`,
  );
}

export function codeRejected(): ApiError {
  return error(
    401,
    'access.sso-code-rejected',
    `The OpenID provider rejected the authorization code as used or expired; ${START_AGAIN}.`,
  );
}

export function invalidResponse(): ApiError {
  return error(
    401,
    'access.sso-invalid-response',
    `The response of the OpenID provider failed a security check; ${START_AGAIN}. The log contains the reason.`,
  );
}

export function emailMissing(): ApiError {
  return error(
    403,
    'access.sso-email-missing',
    'The OpenID provider sent no usable email address; an administrator of the provider must enter the address and release the `email` claim to this service.',
  );
}

export function emailUnverified(isStated: boolean): ApiError {
  return error(
    403,
    'access.sso-email-unverified',
    isStated
      ? 'The OpenID provider has not verified your email address; verify the address there, then sign in again.'
      : 'The OpenID provider did not state that your email address is verified (claim `email_verified`); an administrator of the provider must configure this claim.',
  );
}

export function notAllowed(
  reason: 'email domain' | 'groups' | 'groups, because the provider sent none',
): ApiError {
  return error(
    403,
    'access.sso-not-allowed',
    `You may not sign in with your ${reason}; ask an administrator for access.`,
  );
}

export function userDisabled(): ApiError {
  return error(
    403,
    'access.user-disabled',
    'This user is disabled; ask an administrator to enable the user.',
  );
}

export function addressLinked(): ApiError {
  return error(
    403,
    'access.sso-address-linked',
    'The user with your email address is linked to another identity of the OpenID provider; if you are that user, ask an administrator to unlink the user from the old identity.',
  );
}

/** The error does not reveal which of the checks failed. */
export function unknownCode(): ApiError {
  return error(
    401,
    'access.sso-code',
    `This code is unknown, has expired or belongs to another browser; ${START_AGAIN}.`,
  );
}
