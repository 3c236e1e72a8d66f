import { type ApiError, type Issue, invalidRequest, type Operation } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import { readJson } from './json-body.ts';
import { type Checked, compileCheck } from './validation.ts';

interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
}

/**
 * Applies checks that a schema cannot express, and returns the issues. The function is called even if the body violates the
 * schema, so it must ignore members of the wrong type.
 */
export type BodyRules<C> = (body: Readonly<Record<string, unknown>>, caller: C) => readonly Issue[];

/** Compiles the schemas of an operation. The returned function validates a request and throws 400 with all issues. */
export function readInput<C>(
  operation: Operation,
  rawBody: boolean,
  rules?: BodyRules<C>,
): (request: FastifyRequest, caller: C) => Input {
  const params = compileText(operation.params);
  const query = compileText(operation.query);
  const body = operation.body === undefined || rawBody ? undefined : compileCheck(operation.body);
  return (request, caller) => {
    const issues: Issue[] = [];
    const take = (checked: Checked<unknown> | undefined): unknown => {
      if (checked === undefined) return undefined;
      if (checked.ok) return checked.value;
      issues.push(...checked.issues);
      return undefined;
    };
    const json = body === undefined ? undefined : readJson(bytesOf(request.body));
    const input = {
      params: take(params?.(request.params)),
      query: take(query?.(request.query)),
      body: take(body?.(json)),
    };
    if (rules !== undefined && isObject(json)) issues.push(...rules(json, caller));
    if (issues.length > 0) throw invalid(operation, issues);
    return input;
  };
}

/** Compiles the body schema of an operation. The returned function parses and validates a JSON body, or throws 400. */
export function readInputBody<O extends Operation & { body: TSchema }>(
  operation: O,
): (bytes: Uint8Array) => Static<O['body']> {
  const check = compileCheck(operation.body);
  return (bytes) => {
    const checked = check(readJson(bytes));
    if (!checked.ok) throw invalid(operation, checked.issues);
    return checked.value as Static<O['body']>;
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array(0);
}

function invalid(operation: Operation, issues: readonly Issue[]): ApiError {
  return invalidRequest(
    operation.feature,
    issues.map(({ message }) => message),
  );
}

/** Compiles the schema of path or query parameters. The returned function parses integers and rejects repeated parameters. */
function compileText(
  schema: TObject | undefined,
): ((value: unknown) => Checked<unknown>) | undefined {
  if (schema === undefined) return undefined;
  const strict = { ...schema, additionalProperties: false };
  const check = compileCheck(strict);
  const numeric = Object.entries(schema.properties)
    .filter(([, property]) => 'type' in property && property.type === 'integer')
    .map(([name]) => name);
  return (value) => {
    const given: Record<string, unknown> = { ...(value as Record<string, unknown>) };
    const repeated = Object.keys(given).filter((name) => Array.isArray(given[name]));
    if (repeated.length > 0)
      return {
        ok: false,
        issues: repeated.map((name) => ({ message: `${name}: is given twice` })),
      };
    for (const name of numeric) {
      const text = given[name];
      if (typeof text === 'string' && /^-?\d{1,20}$/.test(text)) given[name] = Number(text);
    }
    return check(given);
  };
}
