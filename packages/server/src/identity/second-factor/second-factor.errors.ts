import { ApiError } from '@gatehouse/contract';
import { conflict, unauthorized } from '../../http/index.ts';

/** The first step of a sign-in succeeded. `challenge` is needed for the second step. */
export function codeRequired(challenge: string): ApiError {
  return new ApiError({
    status: 401,
    code: 'access.code-required',
    message:
      'A code is required; send it with `challenge` to POST /auth/sign-in/code within five minutes.',
    extra: { challenge },
  });
}

/** The error is the same for a wrong code and for a code that was used before. */
export function wrongCode(status: 401 | 403): ApiError {
  return new ApiError({
    status,
    code: 'access.wrong-code',
    message: 'This code is wrong or was used before; wait for the next code of the app.',
  });
}

export function challengeGone(): ApiError {
  return unauthorized(
    'access.challenge-gone',
    'This sign-in was completed, has expired or is unknown; sign in again.',
  );
}

export function secondFactorExists(): ApiError {
  return conflict(
    'access.second-factor-exists',
    'Your second factor is already set up; disable it first.',
  );
}

export function notStarted(): ApiError {
  return conflict(
    'access.second-factor-not-started',
    'There is no second factor to confirm; start with POST /auth/second-factor.',
  );
}
