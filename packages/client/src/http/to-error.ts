import {
  ApiError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  type GatehouseError,
  GoneError,
  InternalServerError,
  InvalidResponseError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnprocessableError,
  UnsupportedMediaTypeError,
} from '../errors.ts';

/** The class of each documented status. */
export const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  409: ConflictError,
  410: GoneError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  422: UnprocessableError,
  429: RateLimitError,
  500: InternalServerError,
  503: ServiceUnavailableError,
};

/** Reads the body of an unsuccessful response and returns the error of its status. */
export async function toError(response: Response): Promise<GatehouseError> {
  const { status, headers } = response;
  if (status < 400)
    return new InvalidResponseError(
      'The server redirected the request. Set url to the final URL of the service.',
    );
  const body = toObject(await response.text().catch(() => ''));
  const { message, code, issues, loginUrl, challenge } = body;
  return new (CLASSES[status] ?? ApiError)({
    message: textOf(message) ?? `The server answered with status ${status}.`,
    status,
    code: textOf(code) ?? 'http.unknown',
    issues: Array.isArray(issues) ? issues : [],
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(headers),
    loginUrl: textOf(loginUrl),
    challenge: textOf(challenge),
  });
}

function toObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Parses `Retry-After`: seconds, or a date by the clock of the server (RFC 9110, 10.2.3). */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null || text === '') return undefined;
  // Pages of other origins cannot read `Date`.
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
