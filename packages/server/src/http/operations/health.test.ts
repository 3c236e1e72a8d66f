import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { assertResponseMatches } from '../../../tests/support/http/responses.ts';
import { createMetrics } from '../../platform/metrics/index.ts';
import { createMemoryRateCounts } from '../../storage/single-process/index.ts';
import { createHttp } from '../create-http.ts';
import { type HealthOptions, registerHealth } from './health.ts';

async function ask(path: string, options: Partial<HealthOptions>) {
  await using app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  const metrics = createMetrics();
  registerHealth(app, { check: () => {}, isDraining: () => false, metrics, ...options });
  const { statusCode: status, headers, body } = await app.inject(path);
  assertResponseMatches({ method: 'GET', path, status, headers, body });
  return { status, headers, body };
}

const failing = async () => {
  throw new Error('cannot open /var/lib/secret.db');
};

test('/healthz returns 200 even if the storage fails or the service is draining', async () => {
  assert.equal((await ask('/healthz', { check: failing })).status, 200);
  assert.equal((await ask('/healthz', { isDraining: () => true })).status, 200);
});

test('/readyz returns 200 if the check passes', async () => {
  const { status, body } = await ask('/readyz', { check: async () => {} });
  assert.equal(status, 200);
  assert.equal(body, '{"status":"ok"}');
});

test('/readyz returns 503 if the check fails, and does not reveal the reason', async () => {
  const { status, headers, body } = await ask('/readyz', { check: failing });
  assert.equal(status, 503);
  assert.equal(headers['retry-after'], '1');
  assert.match(body, /"code":"http.not-ready"/);
  assert.doesNotMatch(body, /secret/);
});

test('/readyz returns 503 without running the check while the service is draining', async () => {
  let asked = 0;
  const check = () => {
    asked += 1;
  };
  assert.equal((await ask('/readyz', { check, isDraining: () => true })).status, 503);
  assert.equal(asked, 0);
});

test('`gatehouse_ready` is 0 if the check does not finish', async () => {
  await using app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  const metrics = createMetrics();
  const check = () => new Promise<void>(() => {});
  registerHealth(app, { check, isDraining: () => false, metrics });
  assert.match(await metrics.registry.metrics(), /^gatehouse_ready 0$/m);
});

test('/readyz returns 503 if the check does not finish', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const check = () => {
    setImmediate(() => t.mock.timers.tick(2000));
    return new Promise<void>(() => {});
  };
  const { status, body } = await ask('/readyz', { check });
  assert.equal(status, 503);
  assert.match(body, /"code":"http.not-ready"/);
});

test('`gatehouse_ready` is the result of a new check at each scrape', async () => {
  const metrics = createMetrics();
  const ready = async () => /^gatehouse_ready (.*)$/m.exec(await metrics.registry.metrics())?.[1];
  await using app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  let check = () => {};
  let draining = false;
  registerHealth(app, { check: () => check(), isDraining: () => draining, metrics });
  assert.equal(await ready(), '1');
  check = () => {
    throw new Error('the database is away');
  };
  assert.equal(await ready(), '0');
  check = () => {};
  assert.equal(await ready(), '1');
  draining = true;
  assert.equal(await ready(), '0');
});
