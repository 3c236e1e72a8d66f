import { ApiError } from '@gatehouse/contract';

export function noSuchUser(): ApiError {
  return new ApiError({
    status: 404,
    code: 'access.user-not-found',
    message: 'No user has this ID.',
  });
}

export function emailTaken(): ApiError {
  return new ApiError({
    status: 409,
    code: 'access.email-taken',
    message: 'Another user already has this email address; use a different one.',
  });
}

/** Prevents the installation from losing its last administrator. */
export function ownAccount(): ApiError {
  return new ApiError({
    status: 409,
    code: 'access.own-account',
    message: 'You cannot disable or demote yourself; ask another administrator.',
  });
}

export function userDisabled(): ApiError {
  return new ApiError({
    status: 409,
    code: 'access.user-disabled',
    message: 'This user is disabled; enable the user first.',
  });
}

export function wrongPassword(): ApiError {
  return new ApiError({
    status: 403,
    code: 'access.wrong-password',
    message: 'The current password is wrong.',
  });
}

export function noPassword(): ApiError {
  return new ApiError({
    status: 409,
    code: 'access.no-password',
    message:
      'This user has no password. Linked users sign in through single sign-on; other users need a reset link from an administrator.',
  });
}
