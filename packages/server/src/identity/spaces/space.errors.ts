import type { ApiError } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

export function lastBot(): ApiError {
  return conflict(
    'spaces.last-bot',
    'This is the last bot of its space; create another bot first, or delete the space.',
  );
}

export function lastOwner(): ApiError {
  return conflict(
    'spaces.last-owner',
    'This user is the last owner of the bot; assign the role `owner` to another user first.',
  );
}

export function noSuchMember(): ApiError {
  return notFound('spaces.member-not-found', 'This user has no role on the bot.');
}

export function noSuchUser(): ApiError {
  return notFound('spaces.user-not-found', 'No user has this ID.');
}
