import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { errorResponse, errorStatuses, openApiDocument, operations } from '../index.ts';
import type { ParameterObject, Reference, ResponseObject } from './document.ts';

const document = openApiDocument({ baseUrl: 'https://gate.example', version: '1.2.3' });

function describedOperations() {
  return operations.map((operation) => {
    const path = document.paths[operation.path] ?? {};
    const method = operation.method.toLowerCase() as keyof typeof path;
    const described = path[method];
    assert.ok(described, `${operation.id} is in the document`);
    return { operation, described };
  });
}

function assertValid(schema: TSchema, value: unknown, what: string): void {
  const validator = Compile(schema);
  assert.ok(validator.Check(value), `${what}: ${JSON.stringify(validator.Errors(value))}`);
}

/** Resolves a reference to a shared response. Returns any other response unchanged. */
function resolved(response: ResponseObject | Reference | undefined): ResponseObject | undefined {
  if (response === undefined || !('$ref' in response)) return response;
  return document.components.responses[response.$ref.replace('#/components/responses/', '')];
}

function resolvedParameter(parameter: ParameterObject | Reference): ParameterObject {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.replace('#/components/parameters/', '');
  const shared = document.components.parameters[name];
  assert.ok(shared, name);
  return shared;
}

/** Returns the example of the first media type of a response, or `undefined` if the response has no body. */
function exampleOf(response: ResponseObject | Reference | undefined): unknown {
  return Object.values(resolved(response)?.content ?? {})[0]?.examples['example']?.value;
}

test('the OpenAPI document contains the version and the URL of the service', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '1.2.3');
  assert.deepEqual(document.servers, [{ url: 'https://gate.example' }]);
});

test('the OpenAPI document describes every operation once, with a unique ID', () => {
  const ids = describedOperations().map(({ described }) => described.operationId);
  assert.deepEqual(
    ids,
    operations.map((operation) => operation.id),
  );
  assert.equal(new Set(ids).size, ids.length);
  const routes = operations.map((operation) => `${operation.method} ${operation.path}`);
  assert.equal(new Set(routes).size, routes.length);
});

test('the path of every operation contains exactly the declared path parameters', () => {
  for (const { id, path, params } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    assert.deepEqual(named, Object.keys(params?.properties ?? {}), id);
  }
});

test('every request example matches its schema', () => {
  for (const { operation, described } of describedOperations()) {
    for (const given of described.parameters ?? []) {
      const parameter = resolvedParameter(given);
      if (parameter.in === 'header') {
        assert.match(
          String(parameter.examples['example']?.value),
          new RegExp(parameter.schema.pattern ?? '$.'),
        );
        continue;
      }
      const schemas = { ...operation.params?.properties, ...operation.query?.properties };
      const schema = schemas[parameter.name];
      assert.ok(schema);
      assertValid(
        schema,
        parameter.examples['example']?.value,
        `${operation.id} ${parameter.name}`,
      );
    }
    if (operation.body === undefined) continue;
    const shown = described.requestBody?.content['application/json']?.examples['example']?.value;
    assertValid(operation.body, shown, `${operation.id} body`);
  }
});

test('every response with a body has an example that matches its schema', () => {
  for (const { operation, described } of describedOperations())
    for (const [status, response] of Object.entries(operation.responses)) {
      const shown = exampleOf(described.responses[status]);
      if (response.schema === undefined && response.mediaType === undefined) {
        assert.equal(shown, undefined, `${operation.id} ${status} has no body`);
        continue;
      }
      assertValid(response.schema ?? Type.String(), shown, `${operation.id} ${status}`);
    }
});

test('every error response is shared and has a description and an example of its code', () => {
  for (const { operation, described } of describedOperations())
    for (const status of errorStatuses(operation)) {
      const response = described.responses[status];
      assert.ok(response !== undefined && '$ref' in response, `${operation.id} ${status}`);
      assert.ok(resolved(response)?.description, response.$ref);
      const { schema, example } = errorResponse(operation, status);
      assertValid(schema, example, `${operation.id} ${status}`);
      const shown = Object.values(resolved(response)?.content ?? {})[0]?.examples[example.code];
      assertValid(schema, shown?.value, `${response.$ref} ${example.code}`);
      assert.match(example.code, /^[a-z]+(\.[a-z]+(-[a-z]+)*)$/);
    }
});

test('every operation can return 500, and operations with a body can return 413 and 415', () => {
  for (const operation of operations) {
    const statuses = errorStatuses(operation);
    assert.ok(statuses.includes(500), operation.id);
    if (operation.body === undefined) continue;
    assert.ok(statuses.includes(413) && statuses.includes(415), operation.id);
  }
});

test('a 401 response has WWW-Authenticate, and a 429 or 503 response has Retry-After', () => {
  for (const { operation, described } of describedOperations()) {
    const headers = (status: number) =>
      Object.keys(resolved(described.responses[status])?.headers ?? {});
    const statuses = errorStatuses(operation);
    if (statuses.includes(401)) assert.ok(headers(401).includes('WWW-Authenticate'), operation.id);
    for (const status of [429, 503])
      if (statuses.includes(status)) assert.ok(headers(status).includes('Retry-After'));
  }
});

test('security has an empty alternative if the credential is optional, and is empty for public operations', () => {
  const securityOf = (id: string) =>
    describedOperations().find(({ operation }) => operation.id === id)?.described.security;
  assert.deepEqual(securityOf('health'), []);
  assert.deepEqual(securityOf('signOut'), [{ session: [] }, { consoleSession: [] }]);
  assert.deepEqual(securityOf('ingestEvents'), [
    { session: [] },
    { consoleSession: [] },
    { apiKey: [] },
    { apiKeyHeader: [] },
    {},
  ]);
});

test('every named schema is referenced, and every reference resolves', () => {
  const text = JSON.stringify(document);
  const matches = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)];
  const references = new Set(matches.map(([, reference = '']) => reference));
  for (const reference of references) {
    const target = reference
      .split('/')
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
    assert.ok(target, reference);
  }
  for (const name of Object.keys(document.components.schemas))
    assert.ok(references.has(`components/schemas/${name}`), `${name} is used`);
});

test('all schemas with more than one member have a name', () => {
  const inline = describedOperations().flatMap(({ described }) =>
    [described.requestBody, ...Object.values(described.responses).map(resolved)]
      .flatMap((holder) => Object.values(holder?.content ?? {}))
      .filter(({ schema }) => schema.properties !== undefined)
      .map(({ schema }) => `${described.operationId}: ${Object.keys(schema.properties ?? {})}`),
  );
  assert.deepEqual(inline, ['openApi: openapi']);
  assert.ok(Object.keys(document.components.schemas).length >= 40);
});

test('no two named schemas are equal', () => {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const text = JSON.stringify(schema);
    assert.equal(names.get(text), undefined, `${name} equals ${names.get(text)}`);
    names.set(text, name);
  }
});

test('a highlight is a pair of numbers in the form of JSON Schema 2020-12', () => {
  const highlights = document.components.schemas['FoundPassage']?.properties?.['highlights'];
  assert.deepEqual(highlights?.items, {
    type: 'array',
    description: 'Start (inclusive) and end (exclusive) in UTF-16 code units of the snippet.',
    minItems: 2,
    prefixItems: [{ type: 'integer' }, { type: 'integer' }],
    maxItems: 2,
  });
});

test('the bot of a link request is marked as deprecated', () => {
  const { botId, spaceId } = document.components.schemas['NewAccessLink']?.properties ?? {};
  assert.equal(botId?.deprecated, true);
  assert.equal(spaceId?.deprecated, undefined);
});

test('the OpenAPI document is plain JSON', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(document)), document);
});

test('exactly the idempotent operations accept an Idempotency-Key and declare its errors', () => {
  for (const { operation, described } of describedOperations()) {
    const names = (described.parameters ?? []).map((given) => resolvedParameter(given).name);
    const isIdempotent = operation.idempotent === true;
    assert.equal(names.includes('Idempotency-Key'), isIdempotent, operation.id);
    assert.equal('422' in described.responses, isIdempotent, operation.id);
    if (!isIdempotent) continue;
    assert.equal(operation.method, 'POST');
    assert.ok('409' in described.responses && '429' in described.responses);
  }
});

test('an operation whose parameters have a maximum length documents the status 400', () => {
  for (const operation of operations) {
    const parameters = Object.values({
      ...operation.params?.properties,
      ...operation.query?.properties,
    });
    if (parameters.some((schema: TSchema) => 'maxLength' in schema))
      assert.ok(errorStatuses(operation).includes(400), operation.id);
  }
});
