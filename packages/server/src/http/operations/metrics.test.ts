import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showLink } from '@gatehouse/contract';
import pino from 'pino';
import { createMetrics } from '../../platform/metrics/index.ts';
import { createMemoryRateCounts } from '../../storage/single-process/index.ts';
import { notFound } from '../api-errors.ts';
import { createHttp } from '../create-http.ts';
import { anyone, route } from '../route.ts';
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

test('/metrics returns all other metrics if the reading of a gauge fails', async () => {
  await using made = await service();
  let isAway = false;
  const help = 'Events that wait.';
  const failing = async () => {
    if (isAway) throw new Error('the database is away');
    return 4;
  };
  made.metrics.gauge({ name: 'gatehouse_lag', help, read: failing });
  const label = 'state';
  const read = async () => new Map([['unread', await failing()]]);
  made.metrics.gauges({ name: 'gatehouse_lags', help, label, read });
  assert.match((await made.app.inject('/metrics')).body, /^gatehouse_lag 4$/m);
  isAway = true;
  const { statusCode, body } = await made.app.inject('/metrics');
  assert.equal(statusCode, 200);
  assert.doesNotMatch(body, /^gatehouse_lags?[ {]/m);
  assert.match(body, /^process_resident_memory_bytes \d+/m);
  isAway = false;
  const again = (await made.app.inject('/metrics')).body;
  assert.match(again, /^gatehouse_lag 4$/m);
  assert.match(again, /^gatehouse_lags\{state="unread"\} 4$/m);
});

test('/metrics does not wait for a gauge that takes long, and does not read it twice at a time', async () => {
  await using made = await service();
  const reads: PromiseWithResolvers<number>[] = [];
  const read = () => {
    const one = Promise.withResolvers<number>();
    reads.push(one);
    return one.promise;
  };
  made.metrics.gauge({ name: 'gatehouse_lag', help: 'Events that wait.', read });
  for (let scrapes = 0; scrapes < 2; scrapes += 1) {
    const { statusCode, body } = await made.app.inject('/metrics');
    assert.equal(statusCode, 200);
    assert.doesNotMatch(body, /^gatehouse_lag /m);
  }
  assert.equal(reads.length, 1);
  reads[0]?.resolve(3);
  const scraped = made.app.inject('/metrics');
  while (reads.length < 2) await new Promise(setImmediate);
  reads[1]?.resolve(5);
  assert.match((await scraped).body, /^gatehouse_lag 5$/m);
});

test('two services in one process have separate metrics', async () => {
  await using first = await service();
  await using second = await service();
  await first.app.inject('/nowhere');
  const { body } = await second.app.inject('/metrics');
  assert.ok(!body.includes('gatehouse_http_requests_total{'));
});
