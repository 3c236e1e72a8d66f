import type { Feature } from './operation.ts';

/** Maximum number of issues in the response to an invalid request. */
export const MAX_ISSUES = 100;

/** Number of problems after which a check stops. The additional problem tells `invalidRequest` that the list is incomplete. */
export const MAX_PROBLEMS = MAX_ISSUES + 1;

/** A problem of a request. `message` starts with the path of a member (`ttlSeconds: must be …`). */
export interface Issue {
  readonly message: string;
}

export interface ApiErrorInit {
  /** HTTP status from 400 to 599. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly Issue[];
  /** Additional response headers, such as `Retry-After` (seconds). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the body, such as the `loginUrl` of an expired link. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** An error that clients receive with its status, code and message. Any other error becomes a 500 without details. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(init: ApiErrorInit) {
    super(init.message);
    this.status = init.status;
    this.code = init.code;
    this.issues = init.issues;
    this.headers = init.headers ?? {};
    this.extra = init.extra ?? {};
  }

  /** Returns the body of the response: `message`, `code`, `issues` if there are any, and `extra`. */
  toBody(): Record<string, unknown> {
    const body: Record<string, unknown> = { message: this.message, code: this.code };
    if (this.issues !== undefined && this.issues.length > 0) body['issues'] = this.issues;
    return { ...body, ...this.extra };
  }
}

/**
 * Returns a 400 error that lists the first `MAX_ISSUES` problems of a request or event. The error code is `<feature>.invalid`.
 *
 * @param problems at least one; each starts with the path of a member.
 * @example
 * throw invalidRequest('links', ['ttlSeconds: must be at least 60']);
 */
export function invalidRequest(
  feature: Feature,
  problems: readonly string[],
  subject: 'request' | 'event' = 'request',
): ApiError {
  const listed = problems.slice(0, MAX_ISSUES);
  const count =
    problems.length > listed.length
      ? `more than ${MAX_ISSUES} problems; the first ${MAX_ISSUES} are`
      : listed.length === 1
        ? 'a problem'
        : `${listed.length} problems`;
  return new ApiError({
    status: 400,
    code: `${feature}.invalid`,
    message: `The ${subject} has ${count}: ${listed.join('; ')}.`,
    issues: listed.map((message) => ({ message })),
  });
}
