import { ApiError } from '@gatehouse/contract';

export function lastBot(): ApiError {
  return new ApiError({
    status: 409,
    code: 'spaces.last-bot',
    message: 'This is the last bot of its space; create another bot first, or delete the space.',
  });
}

export function lastOwner(): ApiError {
  return new ApiError({
    status: 409,
    code: 'spaces.last-owner',
    message:
      'This user is the last owner of the bot; assign the role `owner` to another user first.',
  });
}

export function noSuchMember(): ApiError {
  return new ApiError({
    status: 404,
    code: 'spaces.member-not-found',
    message: 'This user has no role on the bot.',
  });
}

export function noSuchUser(): ApiError {
  return new ApiError({
    status: 404,
    code: 'spaces.user-not-found',
    message: 'No user has this ID.',
  });
}
