import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { assertAnswerMatches } from '../../../tests/support/answers.ts';
import { createMemoryRateCounts } from '../../storage/memory/index.ts';
import { createHttp } from '../create-http.ts';
import { type HealthOptions, registerHealth } from './health.ts';

async function ask(path: string, options: Partial<HealthOptions>) {
  await using app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  registerHealth(app, { check: () => {}, isDraining: () => false, ...options });
  const { statusCode: status, headers, body } = await app.inject(path);
  assertAnswerMatches({ method: 'GET', path, status, headers, body });
  return { status, headers, body };
}

const failing = async () => {
  throw new Error('cannot open /var/lib/secret.db');
};

test('a process that answers is healthy, whatever its storage does', async () => {
  assert.equal((await ask('/healthz', { check: failing })).status, 200);
  assert.equal((await ask('/healthz', { isDraining: () => true })).status, 200);
});

test('a service is ready when its check passes', async () => {
  const { status, body } = await ask('/readyz', { check: async () => {} });
  assert.equal(status, 200);
  assert.equal(body, '{"status":"ok"}');
});

test('a service whose check fails is not ready, and does not say why to the outside', async () => {
  const { status, headers, body } = await ask('/readyz', { check: failing });
  assert.equal(status, 503);
  assert.equal(headers['retry-after'], '1');
  assert.match(body, /"code":"http.not-ready"/);
  assert.doesNotMatch(body, /secret/);
});

test('a service that shuts down is not ready, without asking its storage', async () => {
  let asked = 0;
  const check = () => {
    asked += 1;
  };
  assert.equal((await ask('/readyz', { check, isDraining: () => true })).status, 503);
  assert.equal(asked, 0);
});

test('a service whose check does not end is not ready', async () => {
  const { status, body } = await ask('/readyz', { check: () => new Promise(() => {}) });
  assert.equal(status, 503);
  assert.match(body, /"code":"http.not-ready"/);
});
