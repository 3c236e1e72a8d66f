import type { ApiError } from '@gatehouse/contract';
import { conflict, denied, notFound } from '../../http/index.ts';

export function noSuchUser(): ApiError {
  return notFound('access.user-not-found', 'No user has this ID.');
}

export function emailTaken(): ApiError {
  return conflict(
    'access.email-taken',
    'Another user already has this email address; use a different one.',
  );
}

/** Prevents the installation from losing its last administrator. */
export function ownAccount(): ApiError {
  return conflict(
    'access.own-account',
    'You cannot disable or demote yourself; ask another administrator.',
  );
}

export function userDisabled(): ApiError {
  return conflict('access.user-disabled', 'This user is disabled; enable the user first.');
}

export function wrongPassword(): ApiError {
  return denied('access.wrong-password', 'The current password is wrong.');
}

export function noPassword(): ApiError {
  return conflict(
    'access.no-password',
    'This user has no password. Linked users sign in through single sign-on; other users need a reset link from an administrator.',
  );
}
