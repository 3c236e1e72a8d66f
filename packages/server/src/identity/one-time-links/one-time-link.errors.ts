import { ApiError } from '@gatehouse/contract';
import { denied, unauthorized } from '../../http/index.ts';

export function linkUnknown(): ApiError {
  return unauthorized(
    'auth.link-unknown',
    'This link is incomplete or unknown; copy the whole link, or ask for a new one.',
  );
}

export function linkGone(): ApiError {
  return new ApiError({
    status: 410,
    code: 'auth.link-gone',
    message: 'This link was used or replaced, or has expired; ask for a new one.',
  });
}

export function signInRequired(): ApiError {
  return unauthorized(
    'auth.sign-in-required',
    'A user with the invited address exists; sign in as this user and send the session with the token.',
  );
}

export function otherUser(): ApiError {
  return denied(
    'auth.other-user',
    'This session belongs to another user; sign in as the user with the invited address.',
  );
}
