import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { childServiceOfThisFile } from '../support/services/file-service.ts';

const PRINT_ROUTES = pathToFileURL(
  join(import.meta.dirname, '../support/services/print-routes.ts'),
).href;
const { bareClient: client, service } = await childServiceOfThisFile({
  capture: true,
  env: { NODE_OPTIONS: `--import=${PRINT_ROUTES}` },
});

interface Described {
  readonly operationId: string;
  readonly summary: string;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

const { json } = await client('/openapi.json');
const document = json as unknown as Document;

function describedRoutes(): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

function registeredRoutes(): string[] {
  const lines = service.output().stderr.matchAll(/^route (\S+) (\S+)$/gm);
  return [...lines].map(([, method, url]) => `${method} ${url?.replace(/:(\w+)/g, '{$1}')}`);
}

test('the service returns a valid OpenAPI 3.1 document that contains the URL of the service', async () => {
  const result = await new Validator().validate({ ...json });
  assert.deepEqual(result.errors ?? [], []);
  assert.equal(result.valid, true);
  assert.match(document.openapi, /^3\.1\./);
  assert.deepEqual(document.servers, [{ url: service.url }]);
});

test('every route in the API description is registered', () => {
  const registered = new Set(registeredRoutes());
  assert.ok(registered.size > 30);
  assert.deepEqual(
    describedRoutes().filter((route) => !registered.has(route)),
    [],
  );
});

test('the API description contains every registered route except HEAD, preflight and 405 routes', async () => {
  const described = new Set(describedRoutes());
  for (const route of registeredRoutes()) {
    const [method = '', path = ''] = route.split(' ');
    // OpenAPI has no wildcards: the description of /console covers the paths below it.
    const named = path === '/console/*' ? '/console' : path;
    if (described.has(`${method === 'HEAD' ? 'GET' : method} ${named}`)) continue;
    const { status } = await client(path, { method });
    assert.equal(
      status,
      method === 'OPTIONS' ? 204 : 405,
      `${route} is registered but not described`,
    );
  }
});

test('every operation has a summary and a unique ID', () => {
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, summary } of all) assert.ok(summary.length > 5, operationId);
  assert.equal(new Set(all.map(({ operationId }) => operationId)).size, all.length);
});

test('the API description does not change between requests', async () => {
  assert.equal((await client('/openapi.json')).text, (await client('/openapi.json')).text);
  assert.equal((await client('/docs/api')).text, (await client('/docs/api')).text);
});
