import type { ApiError } from '@gatehouse/contract';
import { notFound } from '../../http/index.ts';

export function noSuchSession(): ApiError {
  return notFound('access.session-not-found', 'You have no session with this ID.');
}
