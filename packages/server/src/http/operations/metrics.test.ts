import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showLink } from '@gatehouse/contract';
import pino from 'pino';
import { createMetrics } from '../../platform/metrics/index.ts';
import { createMemoryRateCounts } from '../../storage/single-process/index.ts';
import { createHttp } from '../create-http.ts';
import { anyone, notFound, route } from '../route.ts';
import { registerMetrics } from './metrics.ts';

const LINK = '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2';

async function service() {
  const app = await createHttp({
    log: pino({ level: 'silent' }),
    trustedProxies: [],
    rates: createMemoryRateCounts(Date.now),
  });
  const metrics = createMetrics();
  registerMetrics(app, { metrics });
  route(app, showLink, {
    caller: anyone,
    handle: () => {
      throw notFound('links.not-found', 'There is no such link.');
    },
  });
  return { app, metrics, [Symbol.asyncDispose]: () => app.close() };
}

test('requests are counted by route and status and timed by route, and no URL appears in the metrics', async () => {
  await using made = await service();
  await made.app.inject(`/assistant-link/${LINK}`);
  await made.app.inject('/assistant-link/not-an-id');
  await made.app.inject('/nowhere/secret-token');
  const { body, headers } = await made.app.inject('/metrics');
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  const total = 'gatehouse_http_requests_total';
  const path = '/assistant-link/{linkId}';
  assert.ok(body.includes(`${total}{method="GET",route="${path}",status="404"} 1\n`), body);
  assert.ok(body.includes(`${total}{method="GET",route="${path}",status="400"} 1\n`));
  assert.ok(body.includes(`${total}{method="GET",route="(unknown)",status="404"} 1\n`));
  const timed = `gatehouse_http_request_duration_seconds_count{method="GET",route="${path}"} 2\n`;
  assert.ok(body.includes(timed));
  assert.ok(!body.includes(LINK) && !body.includes('not-an-id') && !body.includes('secret-token'));
});

test('the metrics include the metrics of the Node process', async () => {
  await using made = await service();
  const { body } = await made.app.inject('/metrics');
  assert.match(body, /^process_resident_memory_bytes \d+/m);
  assert.match(body, /^nodejs_eventloop_lag_seconds /m);
});

test('counters, and only counters, have the suffix `_total`', async () => {
  await using made = await service();
  const { body } = await made.app.inject('/metrics');
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  assert.ok(types.length > 20);
  for (const [, name, type] of types)
    assert.equal(name?.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
});

test('modules can add labelled counters and gauges', async () => {
  await using made = await service();
  const events = made.metrics.counter({
    name: 'gatehouse_events_total',
    help: 'Events by outcome.',
    labels: ['outcome'],
  });
  let waiting = 3;
  made.metrics.gauge({ name: 'gatehouse_queue', help: 'Waiting.', read: () => waiting });
  events.labels({ outcome: 'stored' }).inc(100);
  waiting = 7;
  const { body } = await made.app.inject('/metrics');
  assert.ok(body.includes('gatehouse_events_total{outcome="stored"} 100\n'));
  assert.ok(body.includes('gatehouse_queue 7\n'));
});

test('two services in one process have separate metrics', async () => {
  await using first = await service();
  await using second = await service();
  await first.app.inject('/nowhere');
  const { body } = await second.app.inject('/metrics');
  assert.ok(!body.includes('gatehouse_http_requests_total{'));
});
