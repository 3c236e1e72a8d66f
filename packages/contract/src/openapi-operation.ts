import type { Content, OperationObject, ResponseObject } from './openapi-document.ts';
import { errorAnswer, errorStatuses } from './openapi-errors.ts';
import { parametersOf } from './openapi-parameters.ts';
import { publicSchema } from './openapi-schemas.ts';
import { securityOf } from './openapi-security.ts';
import { tagOf } from './openapi-tags.ts';
import type { Answer, Operation } from './operation.ts';

/** The header that every answer carries, by its place in `components.headers`. */
const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** An operation of ours as OpenAPI writes it. */
export function operationObject(operation: Operation): OperationObject {
  const parameters = parametersOf(operation);
  const body = bodyOf(operation);
  return {
    operationId: operation.id,
    tags: [tagOf(operation.feature)],
    // A summary is plain text in OpenAPI, a description is Markdown.
    summary: operation.summary.replaceAll('`', ''),
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: responsesOf(operation),
    security: securityOf(operation.credentials),
  };
}

function bodyOf({ body, bodyExample, otherBodies }: Operation): Content | undefined {
  if (body === undefined) return undefined;
  const others = Object.entries(otherBodies ?? {}).map(([mediaType, { schema, example }]) => [
    mediaType,
    { schema: publicSchema(schema), example },
  ]);
  return { ...json(publicSchema(body), bodyExample), ...Object.fromEntries(others) };
}

function responsesOf(operation: Operation): Record<string, ResponseObject> {
  const answers = Object.entries(operation.answers).map(
    ([status, answer]) => [status, success(answer)] as const,
  );
  const errors = errorStatuses(operation).map(
    (status) => [String(status), failure(operation, status)] as const,
  );
  return Object.fromEntries([...answers, ...errors]);
}

function success(answer: Answer): ResponseObject {
  const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => [
    name,
    { description: header.description, required: true, schema: publicSchema(header.schema) },
  ]);
  const content = contentOf(answer);
  return {
    description: answer.description,
    headers: { ...Object.fromEntries(headers), ...REQUEST_ID },
    ...(content === undefined ? {} : { content }),
  };
}

function contentOf(answer: Answer): Content | undefined {
  if (answer.schema !== undefined) return json(publicSchema(answer.schema), answer.example);
  if (answer.mediaType === undefined) return undefined;
  return { [answer.mediaType]: { schema: { type: 'string' }, example: answer.example } };
}

function failure(operation: Operation, status: number): ResponseObject {
  const { description, schema, example, headers } = errorAnswer(operation, status);
  const described = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, required: true, schema: { type: 'string' } },
  ]);
  return {
    description,
    headers: { ...Object.fromEntries(described), ...REQUEST_ID },
    content: json(publicSchema(schema), example),
  };
}

function json(schema: Content[string]['schema'], example: unknown): Content {
  return { 'application/json': { schema, example } };
}
