import type { TObject } from 'typebox';
import {
  EXAMPLE_DELIVERY_ID,
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_SUBSCRIPTION_ID,
} from '../common.ts';
import type { Answer, Credential, Operation } from '../operation.ts';
import type { Content, OperationObject, ParameterObject, ResponseObject } from './document.ts';
import { errorAnswer, errorStatuses } from './errors.ts';
import { publicSchema } from './schemas.ts';
import { tagOf } from './tags.ts';

/** The header that every answer carries, by its place in `components.headers`. */
const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };

/** An example for each parameter, by its name, which means the same wherever it stands. */
const EXAMPLES: Readonly<Record<string, string | number>> = {
  after: 'MQ',
  botId: 1,
  conversationId: '0199f3a2-b1c0-7e44-8d21-7f6e5d4c3b2a',
  deliveryId: EXAMPLE_DELIVERY_ID,
  documentEventId: '0199f3a2-b270-7d15-8f42-0c6a91e5d3b8',
  documentId: EXAMPLE_DOCUMENT_ID,
  from: '2026-10-18T00:00:00Z',
  keyId: '0199f3a2-7d2f-7e65-b1c4-3b8d6f9c2051',
  limit: 50,
  linkId: '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2',
  messageId: '0199f3a2-b1c2-7d10-9a3b-4c5d6e7f8a90',
  position: 3,
  source: 'https://shop.example/orders',
  sourceId: '0199f3a2-7e40-7a1b-8c35-6d2f9b0e4a17',
  spaceId: EXAMPLE_SPACE_ID,
  state: 'ready',
  subject: 'order-1001',
  subscriptionId: EXAMPLE_SUBSCRIPTION_ID,
  to: '2026-10-19T00:00:00Z',
  type: 'example.order.paid',
  userId: '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5',
};

const SCHEMES: Readonly<Record<Credential, readonly string[]>> = {
  session: ['session'],
  apiKey: ['apiKey', 'apiKeyHeader'],
  widgetSession: ['widgetSession'],
  none: [],
};

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

/** The path and query parameters of an operation, each with an example. */
function parametersOf(operation: Operation): ParameterObject[] {
  return [
    ...parametersIn('path', operation.params, operation),
    ...parametersIn('query', operation.query, operation),
  ];
}

function parametersIn(
  place: ParameterObject['in'],
  schema: TObject | undefined,
  operation: Operation,
): ParameterObject[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const example = operation.paramsExample?.[name] ?? EXAMPLES[name];
    if (example === undefined) throw new Error(`no example for parameter ${name}: add it`);
    const { description, ...rest } = publicSchema(property);
    return {
      name,
      in: place,
      required: place === 'path' || schema?.required?.includes(name) === true,
      ...(description === undefined ? {} : { description }),
      schema: rest,
      example,
    };
  });
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

/** The alternatives an operation takes; `{}` where the header may be left out, nothing where none is asked. */
function securityOf(credentials: readonly Credential[]): OperationObject['security'] {
  const schemes = credentials.flatMap((credential) => SCHEMES[credential]);
  const optional = credentials.includes('none') && schemes.length > 0;
  return [...schemes.map((scheme) => ({ [scheme]: [] })), ...(optional ? [{}] : [])];
}
