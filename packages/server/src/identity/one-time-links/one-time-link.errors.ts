import { ApiError } from '@gatehouse/contract';

export function linkUnknown(): ApiError {
  return new ApiError({
    status: 401,
    code: 'auth.link-unknown',
    message: 'This link is incomplete or unknown; copy the whole link, or ask for a new one.',
  });
}

export function linkGone(): ApiError {
  return new ApiError({
    status: 410,
    code: 'auth.link-gone',
    message: 'This link was used or replaced, or has expired; ask for a new one.',
  });
}

export function signInRequired(): ApiError {
  return new ApiError({
    status: 401,
    code: 'auth.sign-in-required',
    message:
      'A user with the invited address exists; sign in as this user and send the session with the token.',
  });
}

export function otherUser(): ApiError {
  return new ApiError({
    status: 403,
    code: 'auth.other-user',
    message: 'This session belongs to another user; sign in as the user with the invited address.',
  });
}
