import assert from 'node:assert/strict';
import { errorResponse, errorStatuses, type Operation, operations } from '@gatehouse/contract';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { closedSchema } from './closed-schema.ts';

export interface ReceivedResponse {
  readonly method: string;
  /** Request path, with or without a query string, or the path pattern of an operation. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers | Readonly<Record<string, string | number | string[] | undefined>>;
  /** Text of the body. Empty if the response has no body. */
  readonly body: string;
}

interface Expected {
  readonly schema: TSchema | undefined;
  /** Empty if the response has no body. */
  readonly mediaTypes: readonly string[];
  readonly headers: Readonly<Record<string, TSchema | undefined>>;
}

/**
 * Asserts that a response matches the contract. The operation must declare the status, and the declared headers must be
 * present. The body must have the declared media type, all required members and no unknown members. The response to a
 * request that matches no operation must be a 404 or 405 with the standard error body.
 */
export function assertResponseMatches(answer: ReceivedResponse): void {
  const operation = operationOf(answer);
  const what = `${operation?.id ?? 'an unknown route'} answered ${answer.status}`;
  const expected =
    operation === undefined ? unknownRouteError(answer) : expectedOf(operation, answer.status);
  assert.ok(expected, `${what}, which the contract does not declare: ${answer.body.slice(0, 500)}`);
  assertHeaders(answer, expected, what);
  assertBody(answer, expected, what);
}

/** Returns the operation for a method and path. A path with fewer parameters takes precedence. */
export function operationOf({
  method,
  path,
}: Pick<ReceivedResponse, 'method' | 'path'>): Operation | undefined {
  const [bare = ''] = path.split('?', 1);
  const wanted = method === 'HEAD' ? 'GET' : method;
  const parameters = (operation: Operation) => operation.path.split('{').length;
  return operations
    .filter((operation) => operation.method === wanted && patternOf(operation.path).test(bare))
    .sort((a, b) => parameters(a) - parameters(b))[0];
}

const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  return patterns.getOrInsertComputed(
    path,
    () => new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  );
}

function expectedOf(operation: Operation, status: number): Expected | undefined {
  const answer = operation.responses[status];
  if (answer !== undefined) {
    const headers = Object.entries(answer.headers ?? {}).map(([name, { schema }]) => [
      name,
      schema,
    ]);
    const mediaType = answer.mediaType ?? (answer.schema && 'application/json');
    const mediaTypes = [mediaType ?? [], answer.otherMediaTypes ?? []].flat();
    return { schema: answer.schema, mediaTypes, headers: Object.fromEntries(headers) };
  }
  if (!errorStatuses(operation).includes(status)) return undefined;
  const { schema, headers } = errorResponse(operation, status);
  const names = Object.keys(headers).map((name) => [name, undefined]);
  return { schema, mediaTypes: ['application/json'], headers: Object.fromEntries(names) };
}

function unknownRouteError({ status }: ReceivedResponse): Expected | undefined {
  const [any] = operations;
  if (any === undefined || (status !== 404 && status !== 405)) return undefined;
  const headers = status === 405 ? { Allow: undefined } : {};
  return { schema: errorResponse(any, 404).schema, mediaTypes: ['application/json'], headers };
}

function assertHeaders(answer: ReceivedResponse, { headers }: Expected, what: string): void {
  for (const [name, schema] of Object.entries(headers)) {
    const value = headerOf(answer, name);
    assert.ok(value !== undefined, `${what} without the header ${name}`);
    if (schema !== undefined)
      assertValid(headerValidator(schema), value, `${what} with an invalid header ${name}`);
  }
}

function assertBody(
  answer: ReceivedResponse,
  { schema, mediaTypes }: Expected,
  what: string,
): void {
  if (mediaTypes.length === 0 || answer.method === 'HEAD') {
    assert.equal(answer.body, '', `${what} with a body`);
    return;
  }
  const type = headerOf(answer, 'Content-Type') ?? '';
  const matches = mediaTypes.some((mediaType) => type.startsWith(mediaType.split(';', 1)[0] ?? ''));
  assert.ok(matches, `${what} as ${type} instead of ${mediaTypes.join(' or ')}`);
  if (schema === undefined) return;
  assertValid(
    bodyValidator(schema),
    JSON.parse(answer.body),
    `${what} with a body that does not match its schema`,
  );
}

const headerValidator = compiledOnce((schema) => schema);
const bodyValidator = compiledOnce(closedSchema);

/** Returns a function that compiles each schema once, because compiling takes longer than most requests. */
function compiledOnce(prepare: (schema: TSchema) => TSchema): (schema: TSchema) => Validator {
  const validators = new WeakMap<TSchema, Validator>();
  return (schema) =>
    validators.getOrInsertComputed(schema, () => Compile(prepare(schema)) as Validator);
}

function assertValid(validator: Validator, value: unknown, what: string): void {
  if (validator.Check(value)) return;
  const errors = validator.Errors(value).map((error) => {
    const names = error.keyword === 'additionalProperties' ? error.params.additionalProperties : [];
    return `${error.instancePath || '/'} ${error.message} ${names.join(', ')}`.trim();
  });
  assert.fail(`${what}: ${errors.join('; ')}`);
}

function headerOf({ headers }: ReceivedResponse, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name.toLowerCase()];
  return value === undefined ? undefined : String(value);
}
