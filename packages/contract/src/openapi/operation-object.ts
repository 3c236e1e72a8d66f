import type { Credential, DeclaredResponse, Operation } from '../operation.ts';
import type {
  Content,
  MediaTypeObject,
  OperationObject,
  Reference,
  ResponseObject,
  SchemaObject,
} from './document.ts';
import { errorResponseName, specificErrors } from './error-responses.ts';
import { errorStatuses } from './errors.ts';
import { parameterReferences } from './parameters.ts';
import { publicSchema } from './schemas.ts';
import { REPLAYED, REQUEST_ID } from './shared-headers.ts';
import { tagOf } from './tags.ts';

const NO_CONTENT_REFERENCE: Reference = { $ref: '#/components/responses/NoContent' };
/** The response of all operations that return no body. */
export const NO_CONTENT_RESPONSE: ResponseObject = {
  description: 'Success. The response has no body.',
  headers: REQUEST_ID,
};

const SCHEMES: Readonly<Record<Credential, readonly string[]>> = {
  session: ['session', 'consoleSession'],
  apiKey: ['apiKey', 'apiKeyHeader'],
  widgetSession: ['widgetSession'],
  none: [],
};

export function operationObject(operation: Operation): OperationObject {
  const parameters = parameterReferences(operation);
  const body = bodyOf(operation);
  const description = descriptionOf(operation);
  return {
    operationId: operation.id,
    tags: [tagOf(operation.feature)],
    // In OpenAPI a summary is plain text; a description is Markdown.
    summary: operation.summary.replaceAll('`', ''),
    ...(description === '' ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: operation.bodyOptional !== true, content: body } }),
    responses: responsesOf(operation),
    security: securityOf(operation),
  };
}

/** Returns the description with the required permission and the specific error codes in a paragraph of their own. */
function descriptionOf(operation: Operation): string {
  const rights = [operation.permission ?? [], specificErrors(operation) ?? []].flat().join(' ');
  return [operation.description ?? [], rights === '' ? [] : rights].flat().join('\n\n');
}

function bodyOf({ body, bodyExample, otherBodies }: Operation): Content | undefined {
  if (body === undefined) return undefined;
  const others = Object.entries(otherBodies ?? {}).map(([type, { schema, example }]) => [
    type,
    mediaType(publicSchema(schema), example),
  ]);
  return { ...json(publicSchema(body), bodyExample), ...Object.fromEntries(others) };
}

function responsesOf(operation: Operation): OperationObject['responses'] {
  const responses = Object.entries(operation.responses).map(
    ([status, response]) =>
      [status, status === '204' ? NO_CONTENT_REFERENCE : success(operation, response)] as const,
  );
  const errors = errorStatuses(operation).map(
    (status) => [String(status), failure(status)] as const,
  );
  return Object.fromEntries([...responses, ...errors]);
}

function success({ idempotent }: Operation, response: DeclaredResponse): ResponseObject {
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
    name,
    { description: header.description, required: true, schema: publicSchema(header.schema) },
  ]);
  const content = contentOf(response);
  return {
    description: response.description,
    headers: {
      ...Object.fromEntries(headers),
      ...(idempotent === true ? REPLAYED : {}),
      ...REQUEST_ID,
    },
    ...(content === undefined ? {} : { content }),
  };
}

function contentOf(response: DeclaredResponse): Content | undefined {
  if (response.schema !== undefined) return json(publicSchema(response.schema), response.example);
  if (response.mediaType === undefined) return undefined;
  const types = [response.mediaType, ...(response.otherMediaTypes ?? [])];
  const text = mediaType({ type: 'string' }, response.example);
  return Object.fromEntries(types.map((type) => [type, text]));
}

function failure(status: number): Reference {
  return { $ref: `#/components/responses/${errorResponseName(status)}` };
}

function json(schema: SchemaObject, example: unknown): Content {
  return { 'application/json': mediaType(schema, example) };
}

/**
 * Returns the accepted credentials. An empty object in the list makes the credentials optional. An empty list means
 * that the operation uses no credentials.
 */
function securityOf({ credentials }: Operation): OperationObject['security'] {
  const schemes = credentials.flatMap((credential) => SCHEMES[credential]);
  const optional = credentials.includes('none') && schemes.length > 0;
  return [...schemes.map((scheme) => ({ [scheme]: [] })), ...(optional ? [{}] : [])];
}

/** Returns a media type with one example. Generators of types copy `example` into comments, but not `examples`. */
function mediaType(schema: SchemaObject, example: unknown): MediaTypeObject {
  return { schema, examples: { example: { value: example } } };
}
