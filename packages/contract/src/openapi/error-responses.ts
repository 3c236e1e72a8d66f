import { type ErrorExample, errorOf, type Operation } from '../operation.ts';
import { operations } from '../operations.ts';
import type { MediaTypeObject, ResponseObject } from './document.ts';
import { errorResponse, errorStatuses } from './errors.ts';
import { publicSchema } from './schemas.ts';
import { REQUEST_ID } from './shared-headers.ts';

const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'BodyTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** Returns the key in `components.responses` of the shared response for an error status. */
export function errorResponseName(status: number): string {
  const name = NAMES[status];
  if (name === undefined) throw new Error(`status ${status} has no name; add one to NAMES`);
  return name;
}

/** Returns the shared error responses by name, in order of status. Each has one example per error code. */
export function errorResponses(): Record<string, ResponseObject> {
  const statuses = [...new Set(operations.flatMap(errorStatuses))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [errorResponseName(status), sharedResponse(status)]),
  );
}

/** Returns the error codes that are specific to an operation, as a sentence for its description. */
export function specificErrors(operation: Operation): string | undefined {
  const codes = Object.entries(operation.errorExamples ?? {})
    .filter(([status]) => status !== '400' && errorStatuses(operation).includes(Number(status)))
    .map(([status, { code }]) => `${status} \`${code}\``);
  return codes.length === 0 ? undefined : `Error codes: ${codes.join(', ')}.`;
}

function sharedResponse(status: number): ResponseObject {
  const responses = operations
    .filter((operation) => errorStatuses(operation).includes(status))
    .map((operation) => errorResponse(operation, status));
  const [{ description, schema, headers } = noResponse(status)] = responses;
  const described = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, required: true, schema: { type: 'string' } },
  ]);
  return {
    description,
    headers: { ...Object.fromEntries(described), ...REQUEST_ID },
    content: {
      'application/json': {
        schema: publicSchema(schema),
        examples: examplesByCode([
          ...responses.map(({ example }) => example),
          ...(OF_MANY_OPERATIONS[status] ?? []),
        ]),
      },
    },
  };
}

/** Errors of many operations, in addition to the example of each operation. */
const OF_MANY_OPERATIONS: Readonly<Record<number, readonly ErrorExample[]>> = {
  400: [
    errorOf('http.bad-request', 'The path is not valid percent-encoded UTF-8.'),
    errorOf(
      'http.malformed-json',
      'The body is not valid JSON: it ends too early at line 1, column 2.',
    ),
    errorOf(
      'http.idempotency-key-invalid',
      'The header Idempotency-Key is empty; send 1 to 255 printable ASCII characters, such as a UUID.',
    ),
    errorOf(
      'knowledge.malformed-multipart',
      'The body is not well-formed multipart/form-data. Each part needs headers, and the boundary of the Content-Type must separate the parts.',
    ),
  ],
  401: [
    errorOf(
      'access.malformed-credential',
      'The Authorization header has no token after Bearer; send `Authorization: Bearer <session or API key>`.',
    ),
    errorOf('access.unknown-credential', 'This API key is unknown, expired or revoked.'),
    errorOf(
      'links.session-invalid',
      'This is not a valid widget session token; exchange the link again for a new token.',
    ),
    errorOf('links.session-expired', 'The widget session has expired; exchange the link again.'),
  ],
  410: [errorOf('links.revoked', 'This link was revoked; ask for a new one.')],
  415: [
    errorOf(
      'http.encoding-unsupported',
      'This content encoding is not supported; send an uncompressed body.',
    ),
    errorOf(
      'knowledge.format-unknown',
      'Neither the extension nor the content type of the file is supported. Supported formats: plain text (.txt), Markdown (.md), HTML (.html), CSV (.csv), JSON (.json), PDF (.pdf) and Word (.docx).',
    ),
  ],
};

function noResponse(status: number): never {
  throw new Error(`no operation has the error status ${status}`);
}

/** Returns the first example of each code. An example with `loginUrl` takes precedence. */
function examplesByCode(examples: readonly ErrorExample[]): MediaTypeObject['examples'] {
  const byCode: Record<string, { value: ErrorExample }> = {};
  for (const example of examples) {
    const { code, loginUrl } = example;
    if (byCode[code] === undefined || loginUrl !== undefined) byCode[code] = { value: example };
  }
  return byCode;
}
