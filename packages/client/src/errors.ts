/** A problem of a request. `message` starts with the path of a member (`ttlSeconds: must be at least 60`). */
export interface Issue {
  readonly message: string;
}

/** Base class of all errors that the client throws, except `TypeError` for invalid arguments and the reason of an `AbortSignal`. */
export class GatehouseError extends Error {
  override readonly name: string = 'GatehouseError';
}

/** No complete response arrived: the server is unreachable, or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionError extends GatehouseError {
  override readonly name = 'ConnectionError';
}

/** A request took longer than `timeout`, or a stream was silent for longer than `idleTimeout`. */
export class TimeoutError extends GatehouseError {
  override readonly name = 'TimeoutError';
}

/** The response does not come from Gatehouse: a body is not JSON or not a stream, or the server redirects. */
export class InvalidResponseError extends GatehouseError {
  override readonly name = 'InvalidResponseError';
}

export interface ApiErrorInit {
  readonly message: string;
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly loginUrl: string | undefined;
  readonly challenge: string | undefined;
}

/** A response with a status of 400 or above. Each documented status has a class. */
export class ApiError extends GatehouseError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** Stable code such as `links.invalid`. `http.unknown` if the response does not come from Gatehouse. */
  readonly code: string;
  /** Problems of the request. Empty if the response lists none. */
  readonly issues: readonly Issue[];
  /** ID of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Delay in seconds that the service asks for. */
  readonly retryAfter: number | undefined;
  /** URL where the user of a link can get a new link. Only in a `GoneError`. */
  readonly loginUrl: string | undefined;
  /** Pass it to `auth.signInWithCode` with a code. Only in an `UnauthorizedError` with the code `access.code-required`. */
  readonly challenge: string | undefined;

  constructor(init: ApiErrorInit) {
    super(init.message);
    this.status = init.status;
    this.code = init.code;
    this.issues = init.issues;
    this.requestId = init.requestId;
    this.retryAfter = init.retryAfter;
    this.loginUrl = init.loginUrl;
    this.challenge = init.challenge;
  }
}

/** Status 400: the request is invalid. `issues` lists all problems. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
}

/** Status 401: the credential is missing, unknown, expired or revoked. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError';
}

/** Status 403: the credential lacks the required permission, or the space or bot does not exist. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError';
}

/** Status 404: the resource does not exist, or the caller may not see it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** Status 405: the service is older than the client and does not know the operation. */
export class MethodNotAllowedError extends ApiError {
  override readonly name = 'MethodNotAllowedError';
}

/** Status 409: the resource exists, was changed concurrently, or a request with the same `Idempotency-Key` is running. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** Status 410: the link has expired or was revoked. */
export class GoneError extends ApiError {
  override readonly name = 'GoneError';
}

/** Status 413: the body is too large. */
export class PayloadTooLargeError extends ApiError {
  override readonly name = 'PayloadTooLargeError';
}

/** Status 415: the content type is not supported. */
export class UnsupportedMediaTypeError extends ApiError {
  override readonly name = 'UnsupportedMediaTypeError';
}

/** Status 422: the `Idempotency-Key` was used for another request. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
}

/** Status 429: a rate limit was exceeded. `retryAfter` is the delay in seconds. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** Status 500: an internal error. The log of the service contains details under `requestId`. */
export class InternalServerError extends ApiError {
  override readonly name = 'InternalServerError';
}

/** Status 503: the service is overloaded, starting or shutting down. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError';
}
