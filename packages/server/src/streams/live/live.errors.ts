import type { ApiError } from '@gatehouse/contract';
import { tooMany, unavailable } from '../../http/index.ts';

export function tooManyListeners(): ApiError {
  return unavailable(
    'events.too-many-listeners',
    'The service has reached the maximum number of open streams. Retry after the delay in Retry-After.',
    10,
  );
}

export function tooManyInSpace(): ApiError {
  return tooMany(
    'events.too-many-listeners',
    'The space has reached the maximum number of open streams. Close a stream, or retry after the delay in Retry-After.',
    10,
  );
}

export function serviceStopping(): ApiError {
  return unavailable(
    'events.stopping',
    'The service is shutting down. Reconnect after the delay in Retry-After.',
    2,
  );
}
