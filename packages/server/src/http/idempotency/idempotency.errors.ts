import { ApiError } from '@gatehouse/contract';
import { retryAfter, tooMany } from '../api-errors.ts';

/** Seconds after which a client repeats a request whose first attempt is still running. */
const RETRY_SECONDS = 1;

export function invalidKey(problem: string): ApiError {
  return new ApiError({
    status: 400,
    code: 'http.idempotency-key-invalid',
    message: `The header Idempotency-Key ${problem}; send 1 to 255 printable ASCII characters, such as a UUID.`,
  });
}

export function stillRunning(): ApiError {
  return new ApiError({
    status: 409,
    code: 'http.idempotency-running',
    message:
      'The first request with this Idempotency-Key is still running; repeat the request after the delay in Retry-After.',
    headers: retryAfter(RETRY_SECONDS),
  });
}

export function otherRequest(): ApiError {
  return new ApiError({
    status: 422,
    code: 'http.idempotency-mismatch',
    message:
      'This Idempotency-Key was used before for a request with another method, path or body; send a new key for a new request.',
  });
}

export function tooManyKeys(max: number): ApiError {
  return tooMany(
    'http.too-many-idempotency-keys',
    `You have used ${max} different Idempotency-Keys within 24 hours. Wait, send requests without this header, or ask the operator to raise GATEHOUSE_IDEMPOTENCY_KEYS.`,
    3600,
  );
}
