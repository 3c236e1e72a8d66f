import type { Feature } from './operation.ts';

/** One cause of an error; `message` begins with the member's path (`ttlSeconds: must be …`). */
export interface Issue {
  readonly message: string;
}

export interface ApiErrorInit {
  /** HTTP status, 400–599. */
  readonly status: number;
  /** `<feature>.<reason>`, stable; the first word is the room that throws it. */
  readonly code: string;
  /** A sentence a person can act on. */
  readonly message: string;
  readonly issues?: readonly Issue[];
  /** Extra answer headers, such as `Retry-After` (seconds). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Extra members of the body, such as `loginUrl` of an expired link. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * An error that the contract designs: whoever throws it has decided status, code and words.
 * Anything else that reaches the edge becomes a 500 without detail.
 */
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

  /** The body of the answer: `{ message, code, issues? }`, and what the error adds. */
  toBody(): Record<string, unknown> {
    const body: Record<string, unknown> = { message: this.message, code: this.code };
    if (this.issues !== undefined && this.issues.length > 0) body['issues'] = this.issues;
    return { ...body, ...this.extra };
  }
}

/**
 * Returns the 400 `<feature>.invalid` that names all problems of a request, or of an event.
 *
 * @param problems at least one, each beginning with the path of its member.
 * @example
 * throw invalidRequest('links', ['ttlSeconds: must be at least 60']);
 */
export function invalidRequest(
  feature: Feature,
  problems: readonly string[],
  subject: 'request' | 'event' = 'request',
): ApiError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new ApiError({
    status: 400,
    code: `${feature}.invalid`,
    message: `The ${subject} has ${count}: ${problems.join('; ')}.`,
    issues: problems.map((message) => ({ message })),
  });
}
