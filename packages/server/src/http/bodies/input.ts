import { type ApiError, type Issue, invalidRequest, type Operation } from '@gatehouse/contract';
import type { FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import { isObject } from '../../lib/json/index.ts';
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

export interface InputRules<C> {
  /** Checks of every body. */
  readonly rules?: BodyRules<C>;
  /**
   * Checks that the handler of the operation makes itself. They run here only if the request has other issues, so that one error
   * lists all of them.
   */
  readonly handlerRules?: BodyRules<C>;
}

/** Compiles the schemas of an operation. The returned function validates a request and throws 400 with all issues. */
export function readInput<C>(
  operation: Operation,
  rawBody: boolean,
  { rules, handlerRules }: InputRules<C>,
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
    const json = body === undefined ? undefined : readBody(operation, bytesOf(request.body));
    const ofBody = body?.(json);
    const input = {
      params: take(params?.(request.params)),
      query: take(query?.(request.query)),
      body: take(ofBody),
    };
    const apply = (found: BodyRules<C> | undefined) => {
      if (isObject(json)) issues.push(...withoutReported(found?.(json, caller), ofBody));
    };
    apply(rules);
    if (issues.length === 0) return input;
    apply(handlerRules);
    throw invalid(operation, issues);
  };
}

/**
 * Compiles the body schema of an operation. The returned function parses and validates a JSON body, or throws 400.
 *
 * @param handlerRules as in `InputRules`.
 */
export function readInputBody<O extends Operation & { body: TSchema }>(
  operation: O,
  handlerRules?: BodyRules<null>,
): (bytes: Uint8Array) => Static<O['body']> {
  const check = compileCheck(operation.body);
  return (bytes) => {
    const json = readJson(bytes);
    const checked = check(json);
    if (checked.ok) return checked.value as Static<O['body']>;
    const issues = isObject(json) ? handlerRules?.(json, null) : undefined;
    throw invalid(operation, [...checked.issues, ...withoutReported(issues, checked)]);
  };
}

function readBody({ bodyOptional }: Operation, bytes: Uint8Array): unknown {
  return bodyOptional === true && bytes.length === 0 ? {} : readJson(bytes);
}

/** Returns the issues of rules without those of members that already violate the schema, because they have the same cause. */
function withoutReported(
  issues: readonly Issue[] = [],
  checked: Checked<unknown> | undefined,
): readonly Issue[] {
  if (checked === undefined || checked.ok || issues.length === 0) return issues;
  const reported = new Set(checked.issues.map(pathOf));
  return issues.filter((issue) => !reported.has(pathOf(issue)));
}

/** Returns the path of the member at the start of an issue. */
function pathOf({ message }: Issue): string {
  return message.split(': ', 1)[0] ?? '';
}

export function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array(0);
}

function invalid(operation: Operation, issues: readonly Issue[]): ApiError {
  const messages = new Set(issues.map(({ message }) => message));
  return invalidRequest(operation.feature, [...messages]);
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
