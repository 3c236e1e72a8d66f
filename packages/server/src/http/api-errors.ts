import { ApiError } from '@gatehouse/contract';

export function unauthorized(code: string, message: string): ApiError {
  return new ApiError({ status: 401, code, message });
}

export function denied(code: string, message: string): ApiError {
  return new ApiError({ status: 403, code, message });
}

export function notFound(code: string, message: string): ApiError {
  return new ApiError({ status: 404, code, message });
}

export function conflict(code: string, message: string): ApiError {
  return new ApiError({ status: 409, code, message });
}

/** @param seconds value of `Retry-After`. */
export function tooMany(code: string, message: string, seconds: number): ApiError {
  return new ApiError({ status: 429, code, message, headers: retryAfter(seconds) });
}

/** @param seconds value of `Retry-After`. */
export function unavailable(code: string, message: string, seconds: number): ApiError {
  return new ApiError({ status: 503, code, message, headers: retryAfter(seconds) });
}

export function retryAfter(seconds: number): { readonly 'retry-after': string } {
  return { 'retry-after': String(seconds) };
}

/** Returns a duration as text, such as `1 second` or `30 seconds`. */
export function secondsText(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
