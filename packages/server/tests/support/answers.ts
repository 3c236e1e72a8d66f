import assert from 'node:assert/strict';
import { errorAnswer, errorStatuses, type Operation, operations } from '@gatehouse/contract';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { closedSchema } from './closed-schema.ts';

/** A real answer, as it came over the wire. */
export interface ReceivedAnswer {
  readonly method: string;
  /** The path that was asked, with or without a query, or an operation's pattern. */
  readonly path: string;
  readonly status: number;
  /** Lower-case names, or a `Headers`. */
  readonly headers: Headers | Readonly<Record<string, string | number | string[] | undefined>>;
  /** The body's text; empty where there is none. */
  readonly body: string;
}

/** What the contract says of one status of one operation. */
interface Expected {
  readonly schema: TSchema | undefined;
  readonly mediaType: string | undefined;
  readonly headers: Readonly<Record<string, TSchema | undefined>>;
}

/**
 * Fails unless the contract has this very answer: its status is named by the operation, its headers
 * are there, its body is of the right type and holds every member the schema asks for and none that
 * it does not name. A request that no operation has must be answered by 404 or 405 in our form.
 */
export function assertAnswerMatches(
  answer: ReceivedAnswer,
  among: readonly Operation[] = operations,
): void {
  const operation = operationOf(answer, among);
  const what = `${operation?.id ?? 'an unknown route'} answered ${answer.status}`;
  const expected = operation === undefined ? refusal(answer) : expectedOf(operation, answer.status);
  assert.ok(expected, `${what}, which the contract does not name: ${answer.body.slice(0, 500)}`);
  assertHeaders(answer, expected, what);
  assertBody(answer, expected, what);
}

/** The operation that serves a method and path; a path without parameters goes before one with. */
export function operationOf(
  { method, path }: Pick<ReceivedAnswer, 'method' | 'path'>,
  among: readonly Operation[] = operations,
): Operation | undefined {
  const [bare = ''] = path.split('?', 1);
  const wanted = method === 'HEAD' ? 'GET' : method;
  const candidates = among.filter((one) => one.method === wanted && patternOf(one).test(bare));
  return candidates.find((one) => !one.path.includes('{')) ?? candidates[0];
}

function patternOf({ path }: Operation): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function expectedOf(operation: Operation, status: number): Expected | undefined {
  const answer = operation.answers[status];
  if (answer !== undefined) {
    const headers = Object.entries(answer.headers ?? {}).map(([name, { schema }]) => [
      name,
      schema,
    ]);
    const mediaType = answer.mediaType ?? (answer.schema && 'application/json');
    return { schema: answer.schema, mediaType, headers: Object.fromEntries(headers) };
  }
  if (!errorStatuses(operation).includes(status)) return undefined;
  const { schema, headers } = errorAnswer(operation, status);
  const names = Object.keys(headers).map((name) => [name, undefined]);
  return { schema, mediaType: 'application/json', headers: Object.fromEntries(names) };
}

function refusal({ status }: ReceivedAnswer): Expected | undefined {
  const [any] = operations;
  if (any === undefined || (status !== 404 && status !== 405)) return undefined;
  const headers = status === 405 ? { Allow: undefined } : {};
  return { schema: errorAnswer(any, 404).schema, mediaType: 'application/json', headers };
}

function assertHeaders(answer: ReceivedAnswer, { headers }: Expected, what: string): void {
  for (const [name, schema] of Object.entries(headers)) {
    const value = headerOf(answer, name);
    assert.ok(value !== undefined, `${what} without the header ${name}`);
    if (schema !== undefined) assertValid(schema, value, `${what} with a wrong ${name}`);
  }
}

function assertBody(answer: ReceivedAnswer, { schema, mediaType }: Expected, what: string): void {
  if (mediaType === undefined || answer.method === 'HEAD') {
    assert.equal(answer.body, '', `${what} with a body`);
    return;
  }
  const type = headerOf(answer, 'Content-Type') ?? '';
  const [essence = ''] = mediaType.split(';', 1);
  assert.ok(type.startsWith(essence), `${what} as ${type}, not ${mediaType}`);
  if (schema === undefined) return;
  assertValid(closedSchema(schema), JSON.parse(answer.body), `${what} against its schema`);
}

function assertValid(schema: TSchema, value: unknown, what: string): void {
  const validator = Compile(schema);
  if (validator.Check(value)) return;
  const errors = validator.Errors(value).map((error) => {
    const names = error.keyword === 'additionalProperties' ? error.params.additionalProperties : [];
    return `${error.instancePath || '/'} ${error.message} ${names.join(', ')}`.trim();
  });
  assert.fail(`${what}: ${errors.join('; ')}`);
}

function headerOf({ headers }: ReceivedAnswer, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name.toLowerCase()];
  return value === undefined ? undefined : String(value);
}
