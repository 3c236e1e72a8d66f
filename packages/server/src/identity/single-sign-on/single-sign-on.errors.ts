import { ApiError } from '@gatehouse/contract';
import { denied, notFound, unauthorized, unavailable } from '../../http/index.ts';

/** Seconds after which a client retries if the provider is unavailable. */
const RETRY_SECONDS = 10;
const START_AGAIN = 'start again at /auth/sso/start';

export function singleSignOnOff(): ApiError {
  return notFound(
    'access.sso-off',
    'Single sign-on is not configured; an operator must set GATEHOUSE_OIDC_ISSUER and related settings.',
  );
}

export function passwordSignInOff(): ApiError {
  return denied(
    'access.password-sign-in-off',
    'Signing in with a password is switched off; sign in at /auth/sso/start.',
  );
}

export function providerUnavailable(): ApiError {
  return unavailable(
    'access.sso-unavailable',
    'The OpenID provider is unavailable or its response is unusable; retry later. The log contains the reason.',
    RETRY_SECONDS,
  );
}

export function clientRejected(): ApiError {
  return unavailable(
    'access.sso-misconfigured',
    'The OpenID provider rejected this service; an operator must compare GATEHOUSE_OIDC_CLIENT_ID and GATEHOUSE_OIDC_CLIENT_SECRET with the registration at the provider.',
    RETRY_SECONDS,
  );
}

/** The error does not reveal which of the checks failed. */
export function unknownAttempt(): ApiError {
  return new ApiError({
    status: 400,
    code: 'access.sso-state',
    message: `This sign-in was started in another browser, has expired or has already been used; ${START_AGAIN}.`,
  });
}

export function signInDenied(): ApiError {
  return unauthorized(
    'access.sso-denied',
    `The OpenID provider did not sign you in; ${START_AGAIN}. If this happens again, ask the administrator of the provider for access.`,
  );
}

export function codeRejected(): ApiError {
  return unauthorized(
    'access.sso-code-rejected',
    `The OpenID provider rejected the authorization code as used or expired; ${START_AGAIN}.`,
  );
}

export function invalidResponse(): ApiError {
  return unauthorized(
    'access.sso-invalid-response',
    `The response of the OpenID provider failed a security check; ${START_AGAIN}. The log contains the reason.`,
  );
}

export function emailMissing(): ApiError {
  return denied(
    'access.sso-email-missing',
    'The OpenID provider sent no usable email address; an administrator of the provider must enter the address and release the `email` claim to this service.',
  );
}

export function emailUnverified(isStated: boolean): ApiError {
  return denied(
    'access.sso-email-unverified',
    isStated
      ? 'The OpenID provider has not verified your email address; verify the address there, then sign in again.'
      : 'The OpenID provider did not state that your email address is verified (claim `email_verified`); an administrator of the provider must configure this claim.',
  );
}

export function notAllowed(
  reason: 'email domain' | 'groups' | 'groups, because the provider sent none',
): ApiError {
  return denied(
    'access.sso-not-allowed',
    `You may not sign in with your ${reason}; ask an administrator for access.`,
  );
}

export function userDisabled(): ApiError {
  return denied(
    'access.user-disabled',
    'This user is disabled; ask an administrator to enable the user.',
  );
}

export function addressLinked(): ApiError {
  return denied(
    'access.sso-address-linked',
    'The user with your email address is linked to another identity of the OpenID provider; if you are that user, ask an administrator to unlink the user from the old identity.',
  );
}

/** The error does not reveal which of the checks failed. */
export function unknownCode(): ApiError {
  return unauthorized(
    'access.sso-code',
    `This code is unknown, has expired or belongs to another browser; ${START_AGAIN}.`,
  );
}
