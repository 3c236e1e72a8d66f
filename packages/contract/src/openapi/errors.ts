import type { TSchema } from 'typebox';
import { invalidRequest } from '../api-error.ts';
import { ErrorBody, EXAMPLE_SPACE_ID, GoneBody, UnauthorizedBody } from '../common.ts';
import {
  DEFAULT_BODY_LIMIT,
  type ErrorExample,
  errorOf,
  type Feature,
  type Operation,
  PERMISSIONS,
} from '../operation.ts';

interface ErrorResponse {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: ErrorExample;
  /** Descriptions of the headers that every response with this status has. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the error statuses of an operation in ascending order. The result contains 500 and the statuses that the
 * operation declares. The result also contains 413 and 415 if the operation reads a body, 503 if the operation uses storage, and
 * 409, 422 and 429 if the operation accepts an `Idempotency-Key`.
 */
export function errorStatuses(operation: Operation): number[] {
  const reads = ['POST', 'PUT', 'PATCH'].includes(operation.method) ? [413, 415] : [];
  const stores = operation.feature === 'http' ? [] : [503];
  const keyed = operation.idempotent === true ? [409, 422, 429] : [];
  const all = [...operation.errors, ...reads, ...stores, ...keyed, 500];
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Returns the error response of an operation with the given status. */
export function errorResponse(operation: Operation, status: number): ErrorResponse {
  const usual = usualError(operation, status);
  return {
    description: usual.description,
    schema: BODIES[status] ?? ErrorBody,
    headers: HEADERS[status] ?? {},
    example: operation.errorExamples?.[status] ??
      keyExample(operation, status) ??
      permissionExample(operation, status) ?? { message: usual.message, code: usual.code },
    ...(status === 400 && operation.errorExamples?.[400] === undefined
      ? { example: invalidExample(operation) }
      : {}),
  };
}

const BODIES: Readonly<Record<number, TSchema>> = { 401: UnauthorizedBody, 410: GoneBody };

const RETRY = { 'Retry-After': 'Seconds to wait before the next attempt.' };
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': '`Bearer`' },
  429: RETRY,
  503: RETRY,
};

interface UsualError {
  readonly description: string;
  readonly code: string;
  readonly message: string;
}

function usualError(
  { feature, bodyLimit = DEFAULT_BODY_LIMIT }: Operation,
  status: number,
): UsualError {
  const usual = USUAL[status];
  if (usual === undefined) throw new Error(`status ${status} has no description; add one to USUAL`);
  const message = (status === 404 && NOT_FOUND[feature]) || usual.message;
  return {
    ...usual,
    code: usual.code.replace('{feature}', feature),
    message: message.replace('{limit}', String(bodyLimit)),
  };
}

/** Returns the example of an error response that only a request with an `Idempotency-Key` gets. */
function keyExample({ idempotent, errors }: Operation, status: number): ErrorExample | undefined {
  return idempotent === true && !errors.includes(status) ? WITH_KEY[status] : undefined;
}

const WITH_KEY: Readonly<Record<number, ErrorExample>> = {
  409: errorOf(
    'http.idempotency-running',
    'The first request with this Idempotency-Key is still running; repeat the request after the delay in Retry-After.',
  ),
  429: errorOf(
    'http.too-many-idempotency-keys',
    'You have used 200000 different Idempotency-Keys within 24 hours. Wait, send requests without this header, or ask the operator to raise GATEHOUSE_IDEMPOTENCY_KEYS.',
  ),
};

/** Messages of the 404 response by feature. */
const NOT_FOUND: Readonly<Partial<Record<Feature, string>>> = {
  links: 'No link with this ID exists, or you may not see it.',
  knowledge: 'No document with this ID exists, or you may not see it.',
  chat: 'You have no stored answer with this ID.',
  widget: 'The widget has no file with this name.',
  http: 'The API reference has no file with this name.',
};

/** Returns the example of a 401 or 403 response if the example depends on the required permission. */
function permissionExample({ permission }: Operation, status: number): ErrorExample | undefined {
  if (permission === PERMISSIONS.widgetSession) return WITHOUT_WIDGET_SESSION[status];
  if (status !== 403) return undefined;
  if (permission === undefined) return WRONG_CREDENTIAL;
  const needed = NEEDED[permission] ?? /^Requires (the role .+)\.$/.exec(permission)?.[1];
  return needed === undefined
    ? undefined
    : { message: `This operation requires ${needed}.`, code: 'access.forbidden' };
}

const ANY_ROLE = 'the role `viewer`, `editor` or `owner` on at least one bot of the space';
/** The required right for each `permission`, as worded in the server's error messages. */
const NEEDED: Readonly<Record<string, string>> = {
  [PERMISSIONS.administrator]: 'an administrator of the installation',
  [PERMISSIONS.view]: ANY_ROLE,
  [PERMISSIONS.viewOrRead]: ANY_ROLE,
};

const WRONG_CREDENTIAL: ErrorExample = errorOf(
  'access.wrong-credential',
  'This operation does not accept an API key; sign in and send the session.',
);

const WITHOUT_WIDGET_SESSION: Readonly<Record<number, ErrorExample>> = {
  401: errorOf(
    'chat.no-session',
    'A widget session is required. Exchange the token of an access link for a session.',
  ),
  403: errorOf(
    'chat.wrong-credential',
    'The chat accepts only widget sessions. Exchange the token of an access link for a session.',
  ),
};

const USUAL: Readonly<Record<number, UsualError>> = {
  400: {
    description: 'The request is invalid. `issues` lists its problems.',
    code: '{feature}.invalid',
    message: 'The request has a problem.',
  },
  401: {
    description: 'The credential is missing, malformed, unknown, expired or revoked.',
    code: 'access.no-credential',
    message:
      'A credential is required; send `Authorization: Bearer <session or API key>` or `X-API-Key: <key>`.',
  },
  403: {
    description:
      'The credential is valid but lacks the required permission. The response is the same if the space or bot does not exist.',
    code: 'access.forbidden',
    message:
      'This operation requires the role `editor` or `owner` on at least one bot of the space.',
  },
  404: {
    description: 'The resource does not exist, or the caller may not see it.',
    code: '{feature}.not-found',
    message: 'No resource with this ID exists, or you may not see it.',
  },
  409: {
    description:
      'The request conflicts with the current state of the resource, or the first request with this `Idempotency-Key` is still running. In the second case, retry after the delay in `Retry-After`.',
    code: '{feature}.conflict',
    message: 'The request conflicts with the current state of the resource.',
  },
  410: {
    description: 'The link has expired or was revoked.',
    code: 'links.expired',
    message: 'This link has expired; ask for a new one.',
  },
  413: {
    description: 'The body exceeds the size limit of this operation.',
    code: 'http.body-too-large',
    message: 'The body exceeds the limit of {limit} bytes; send less in one request.',
  },
  415: {
    description: 'The content type or encoding is not supported.',
    code: 'http.media-type-unsupported',
    message: 'This content type is not supported; send application/json in UTF-8.',
  },
  422: {
    description:
      'This `Idempotency-Key` was used before for a request with another method, path or body.',
    code: 'http.idempotency-mismatch',
    message:
      'This Idempotency-Key was used before for a request with another method, path or body; send a new key for a new request.',
  },
  429: {
    description: 'Too many requests. Retry after the delay in `Retry-After`.',
    code: 'http.too-many-requests',
    message: 'Too many requests from this address; retry in 12 seconds.',
  },
  500: {
    description:
      'Internal error. The message contains only the request ID, which identifies the request in the log.',
    code: 'http.internal',
    message:
      'An internal error occurred. The log contains its details under the request ID qL3vX8aM-2f.',
  },
  503: {
    description:
      'The service is overloaded or its storage is unavailable. The request had no effect. Retry after the delay in `Retry-After`.',
    code: 'http.storage-unavailable',
    message: 'The storage is unavailable; retry after the delay in Retry-After.',
  },
};

function invalidExample(operation: Operation): ErrorExample {
  const {
    message,
    code,
    issues = [],
  } = invalidRequest(operation.feature, [likelyIssue(operation)]);
  return { message, code, issues };
}

function likelyIssue({ body, params, query }: Operation): string {
  const members = body as { properties?: object; required?: readonly string[] } | undefined;
  if (members?.properties !== undefined && 'ttlSeconds' in members.properties)
    return 'ttlSeconds: must be at least 60';
  const required = members?.required?.[0];
  if (required !== undefined) return `${required}: is required`;
  if (query !== undefined && 'limit' in query.properties) return 'limit: must be at most 200';
  if (query !== undefined && 'spaceId' in query.properties) return `spaceId: must be ${A_UUID}`;
  const [name = 'body', schema] = Object.entries(params?.properties ?? {})[0] ?? [];
  const wanted = schema !== undefined && 'pattern' in schema ? A_UUID : 'an integer';
  return members === undefined ? `${name}: must be ${wanted}` : 'body: must be an object';
}

const A_UUID = `a UUID, such as ${EXAMPLE_SPACE_ID}`;
