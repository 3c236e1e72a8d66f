import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorResponse, errorStatuses, openApiDocument, operations } from '@gatehouse/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import Fastify from 'fastify';
import pino from 'pino';
import { assertResponseMatches } from '../../../tests/support/http/responses.ts';
import { createMetrics } from '../../platform/metrics/index.ts';
import { createMemoryRateCounts } from '../../storage/single-process/index.ts';
import { createHttp } from '../create-http.ts';
import { routePath } from '../route.ts';
import { registerConsole } from './console/index.ts';
import { registerDocumentation } from './documentation/index.ts';
import { registerHealth } from './health.ts';
import { registerHome } from './home/index.ts';
import { registerMetrics } from './metrics.ts';
import { registerOpenApi } from './open-api.ts';
import { registerReference } from './reference/reference.ts';

const document = openApiDocument({ baseUrl: 'https://gate.example', version: '1.2.3' });

async function service() {
  const app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  const metrics = createMetrics();
  registerHealth(app, { check: () => {}, isDraining: () => false, metrics });
  registerMetrics(app, { metrics });
  registerHome(app);
  registerConsole(app, { baseUrl: () => 'http://localhost' });
  registerDocumentation(app);
  registerOpenApi(app, { openApi: () => document });
  registerReference(app);
  return app;
}

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(validator.version, '3.1');
});

test('the OpenAPI document is served unchanged and may be cached for a minute', async () => {
  await using app = await service();
  const response = await app.inject('/openapi.json');
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(response.headers['cache-control'], 'public, max-age=60');
  assert.deepEqual(response.json(), JSON.parse(JSON.stringify(document)));
});

test('every route of the http module responds as described in the OpenAPI document', async () => {
  await using app = await service();
  for (const { feature, method, path, responses } of operations) {
    if (feature !== 'http') continue;
    const {
      statusCode: status,
      headers,
      body,
    } = await app.inject({
      method,
      url: path,
      headers: { accept: 'text/html, */*' },
    });
    const [usual] = Object.keys(responses);
    assert.equal(status, path.includes('{') ? 404 : Number(usual), path);
    assertResponseMatches({ method, path, status, headers, body });
  }
});

test('the http module registers exactly the routes of the contract', async () => {
  const app = Fastify();
  const served: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    // OpenAPI has no wildcards: the description of /console covers the paths below it.
    if (method !== 'HEAD' && url !== '/console/*') served.push(`${method} ${url}`);
  });
  const metrics = createMetrics();
  registerHealth(app, { check: () => {}, isDraining: () => false, metrics });
  registerMetrics(app, { metrics });
  registerHome(app);
  registerConsole(app, { baseUrl: () => 'http://localhost' });
  registerDocumentation(app);
  registerOpenApi(app, { openApi: () => document });
  registerReference(app);
  const described = operations.filter(({ feature }) => feature === 'http');
  assert.deepEqual(served.sort(), described.map((one) => `${one.method} ${routePath(one)}`).sort());
  await app.close();
});

test('every error code in the OpenAPI document occurs in the source code', () => {
  const source = join(import.meta.dirname, '../..');
  const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n');
  const missing = operations.flatMap((operation) =>
    errorStatuses(operation)
      .map((status) => errorResponse(operation, status).example.code)
      // `readInput` composes this error code at run time, so no source file contains the code.
      .filter((shown) => shown !== `${operation.feature}.invalid` && !code.includes(`'${shown}'`))
      .map((shown) => `${operation.id}: ${shown}`),
  );
  assert.deepEqual(missing, []);
});
