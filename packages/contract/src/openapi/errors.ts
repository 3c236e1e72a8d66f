import type { TSchema } from 'typebox';
import { invalidRequest } from '../api-error.ts';
import { ErrorBody, GoneBody } from '../common.ts';
import type { ErrorExample, Operation } from '../operation.ts';

interface ErrorAnswer {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: ErrorExample;
  /** Headers that always come with it. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Every error status that an operation can answer, ascending: its own, and those that no handler
 * decides — 500 of any route, 413 and 415 where a body is read, 503 where storage is.
 */
export function errorStatuses(operation: Operation): number[] {
  const reads = ['POST', 'PUT', 'PATCH'].includes(operation.method) ? [413, 415] : [];
  const stores = operation.feature === 'http' ? [] : [503];
  return [...new Set([...operation.errors, ...reads, ...stores, 500])].sort((a, b) => a - b);
}

/** What an operation answers with an error status. */
export function errorAnswer(operation: Operation, status: number): ErrorAnswer {
  const usual = usualError(operation, status);
  return {
    description: usual.description,
    schema: status === 410 ? GoneBody : ErrorBody,
    headers: HEADERS[status] ?? {},
    example: operation.errorExamples?.[status] ?? { message: usual.message, code: usual.code },
    ...(status === 400 && operation.errorExamples?.[400] === undefined
      ? { example: invalidExample(operation) }
      : {}),
  };
}

const RETRY = { 'Retry-After': 'Seconds to wait before the next try.' };
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

function usualError({ feature }: Operation, status: number): UsualError {
  const usual = USUAL[status];
  if (usual === undefined) throw new Error(`no words for status ${status}: add them to USUAL`);
  return { ...usual, code: usual.code.replace('{feature}', feature) };
}

const USUAL: Readonly<Record<number, UsualError>> = {
  400: {
    description: 'The request is malformed or out of range; `issues` names every problem.',
    code: '{feature}.invalid',
    message: 'The request has a problem.',
  },
  401: {
    description: 'No credential, or one that is malformed, unknown, expired or revoked.',
    code: 'access.no-credential',
    message: 'Send a session token or an API key.',
  },
  403: {
    description:
      'The credential is valid but lacks the right. A space or bot that does not exist answers the same.',
    code: 'access.forbidden',
    message: 'This needs edit rights on the space.',
  },
  404: {
    description: 'There is no such resource among those the caller may see.',
    code: '{feature}.not-found',
    message: 'There is nothing with this id among what you may see.',
  },
  409: {
    description: 'The change contradicts what is there.',
    code: '{feature}.conflict',
    message: 'The change contradicts what is there.',
  },
  410: {
    description: 'It was valid once and has expired or was revoked.',
    code: 'links.expired',
    message: 'This has expired; ask for a new one.',
  },
  413: {
    description: 'The body is larger than this route takes.',
    code: 'http.body-too-large',
    message: 'The body is larger than this route takes; send less in one request.',
  },
  415: {
    description: 'The content type or encoding is not understood.',
    code: 'http.media-type-unsupported',
    message: 'The content type is not understood here; send application/json in UTF-8.',
  },
  429: {
    description: 'Too many requests; `Retry-After` says when to ask again.',
    code: 'http.too-many-requests',
    message: 'Too many requests from this address; try again in 12 seconds.',
  },
  500: {
    description: 'Our fault. The message names the request in the log, and nothing else.',
    code: 'http.internal',
    message: 'Something went wrong on our side. The log has it under request qL3vX8aM-2f.',
  },
  503: {
    description: 'Overloaded, or the storage is unavailable. Nothing of the request was kept.',
    code: 'http.storage-unavailable',
    message: 'The storage cannot be used now; send it again later.',
  },
};

/** A 400 as this very operation would answer it. */
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
  const [name = 'body', schema] = Object.entries(params?.properties ?? {})[0] ?? [];
  const wanted = schema !== undefined && 'pattern' in schema ? 'a UUID' : 'an integer';
  return members === undefined ? `${name}: must be ${wanted}` : 'body: must be an object';
}
