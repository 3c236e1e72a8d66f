import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { errorAnswer, errorStatuses, openApiDocument, operations } from '../index.ts';
import type { ResponseObject } from './document.ts';

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

function contentOf(response: ResponseObject | undefined) {
  return Object.values(response?.content ?? {})[0];
}

test('the document names its version and where the service is', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '1.2.3');
  assert.deepEqual(document.servers, [{ url: 'https://gate.example' }]);
});

test('every operation is described once, under an id of its own', () => {
  const ids = describedOperations().map(({ described }) => described.operationId);
  assert.deepEqual(
    ids,
    operations.map((operation) => operation.id),
  );
  assert.equal(new Set(ids).size, ids.length);
  const routes = operations.map((operation) => `${operation.method} ${operation.path}`);
  assert.equal(new Set(routes).size, routes.length);
});

test('the path of an operation holds exactly its path parameters', () => {
  for (const { id, path, params } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    assert.deepEqual(named, Object.keys(params?.properties ?? {}), id);
  }
});

test('every example of a request obeys the schema of that request', () => {
  for (const { operation, described } of describedOperations()) {
    for (const parameter of described.parameters ?? []) {
      const schemas = { ...operation.params?.properties, ...operation.query?.properties };
      const schema = schemas[parameter.name];
      assert.ok(schema);
      assertValid(schema, parameter.example, `${operation.id} ${parameter.name}`);
    }
    if (operation.body === undefined) continue;
    const shown = described.requestBody?.content['application/json']?.example;
    assertValid(operation.body, shown, `${operation.id} body`);
  }
});

test('every operation shows an example of each answer that has a body, as its schema says', () => {
  for (const { operation, described } of describedOperations())
    for (const [status, answer] of Object.entries(operation.answers)) {
      const shown = contentOf(described.responses[status]);
      if (answer.schema === undefined && answer.mediaType === undefined) {
        assert.equal(shown, undefined, `${operation.id} ${status} has no body`);
        continue;
      }
      assertValid(answer.schema ?? Type.String(), shown?.example, `${operation.id} ${status}`);
    }
});

test('every error answer has words and an example in the form of errors', () => {
  for (const { operation, described } of describedOperations())
    for (const status of errorStatuses(operation)) {
      const response = described.responses[status];
      assert.ok(response?.description, `${operation.id} ${status}`);
      const { schema, example } = errorAnswer(operation, status);
      assertValid(schema, example, `${operation.id} ${status}`);
      assert.deepEqual(contentOf(response)?.example, example);
      assert.match(example.code, /^[a-z]+(\.[a-z]+(-[a-z]+)*)$/);
    }
});

test('any route may fail, and one that reads a body may refuse its size and type', () => {
  for (const operation of operations) {
    const statuses = errorStatuses(operation);
    assert.ok(statuses.includes(500), operation.id);
    if (operation.body === undefined) continue;
    assert.ok(statuses.includes(413) && statuses.includes(415), operation.id);
  }
});

test('a 401 says how to authenticate, and a 429 or 503 when to come back', () => {
  for (const { operation, described } of describedOperations()) {
    const headers = (status: number) => Object.keys(described.responses[status]?.headers ?? {});
    const statuses = errorStatuses(operation);
    if (statuses.includes(401)) assert.ok(headers(401).includes('WWW-Authenticate'), operation.id);
    for (const status of [429, 503])
      if (statuses.includes(status)) assert.ok(headers(status).includes('Retry-After'));
  }
});

test('a credential that may be left out is an empty alternative, and none at all an empty list', () => {
  const securityOf = (id: string) =>
    describedOperations().find(({ operation }) => operation.id === id)?.described.security;
  assert.deepEqual(securityOf('health'), []);
  assert.deepEqual(securityOf('signOut'), [{ session: [] }]);
  assert.deepEqual(securityOf('ingestEvents'), [
    { session: [] },
    { apiKey: [] },
    { apiKeyHeader: [] },
    {},
  ]);
});

test('a schema with a name is referred to, and every reference leads somewhere', () => {
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

test('the document is plain JSON', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(document)), document);
});
