import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorAnswer, errorStatuses, openApiDocument, operations } from '@gatehouse/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import Fastify from 'fastify';
import pino from 'pino';
import { assertAnswerMatches } from '../../../tests/support/answers.ts';
import { createMetrics } from '../../platform/metrics/index.ts';
import { createMemoryRateCounts } from '../../storage/memory/index.ts';
import { createHttp } from '../create-http.ts';
import { routePath } from '../route.ts';
import { registerHealth } from './health.ts';
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
  registerHealth(app, { check: () => {}, isDraining: () => false });
  registerMetrics(app, { metrics: createMetrics() });
  registerOpenApi(app, { openApi: () => document });
  registerReference(app);
  return app;
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(validator.version, '3.1');
});

test('the document is served as it is, to be kept for a minute', async () => {
  await using app = await service();
  const answer = await app.inject('/openapi.json');
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'public, max-age=60');
  assert.deepEqual(answer.json(), JSON.parse(JSON.stringify(document)));
});

test('every route of the service itself answers what the document says', async () => {
  await using app = await service();
  for (const { feature, method, path } of operations) {
    if (feature !== 'http') continue;
    const { statusCode: status, headers, body } = await app.inject({ method, url: path });
    assert.equal(status, path.includes('{') ? 404 : 200, path);
    assertAnswerMatches({ method, path, status, headers, body });
  }
});

test('the routes of the service itself are the ones the contract has, no more', async () => {
  const app = Fastify();
  const served: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    if (method !== 'HEAD') served.push(`${method} ${url}`);
  });
  registerHealth(app, { check: () => {}, isDraining: () => false });
  registerMetrics(app, { metrics: createMetrics() });
  registerOpenApi(app, { openApi: () => document });
  registerReference(app);
  const described = operations.filter(({ feature }) => feature === 'http');
  assert.deepEqual(served.sort(), described.map((one) => `${one.method} ${routePath(one)}`).sort());
  await app.close();
});

test('every code that the document shows is one that the service throws', () => {
  const source = join(import.meta.dirname, '../..');
  const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n');
  const missing = operations.flatMap((operation) =>
    errorStatuses(operation)
      .map((status) => errorAnswer(operation, status).example.code)
      // Written by `readInput` for any feature, so no source names it whole.
      .filter((shown) => shown !== `${operation.feature}.invalid` && !code.includes(`'${shown}'`))
      .map((shown) => `${operation.id}: ${shown}`),
  );
  assert.deepEqual(missing, []);
});
