import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { operations } from '../../packages/contract/src/index.ts';
import { REFUSALS } from '../../packages/server/src/streams/statistics/counts.ts';
import { makeEvents } from '../../packages/server/tests/support/events/events.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import {
  type ServiceWithSpace,
  startChildWithSpace,
} from '../../packages/server/tests/support/services/service-with-space.ts';
import { groupLabelsOf, readAlerts, readPanelQueries, selectorsOf } from './alerts.ts';
import { DEPLOY, ROOT } from './files.ts';

const alerts = readAlerts();
const queries = [...alerts, ...readPanelQueries()];
const promtool = spawnSync('promtool', ['--version']).status === 0 ? false : 'promtool is missing';
let shop: ServiceWithSpace;
let scraped = '';

before(async () => {
  shop = await startChildWithSpace({
    env: {
      // Nothing listens on this port, so the sink falls behind.
      GATEHOUSE_NATS_URL: 'nats://127.0.0.1:9',
    },
  });
  await shop.client('/events', { as: shop.key, body: { events: makeEvents(2) } });
  await shop.client('/events', { as: 'gh_wrong', body: { events: makeEvents(2) } });
  scraped = (await shop.client('/metrics')).text;
});
after(() => shop[Symbol.asyncDispose]());

/** Returns the labels and values of all series of a metric. */
function seriesOf(metric: string): string[] {
  const lines = scraped.split('\n').filter((line) => line.startsWith(metric));
  return lines.filter((line) => /^[ {]/.test(line.slice(metric.length)));
}

test('the service exports every metric and label that the alerts and the dashboard use', () => {
  for (const { name, expression } of queries) {
    const selectors = selectorsOf(expression).filter(({ metric }) => metric !== 'up');
    for (const { metric, matchers } of selectors) {
      const type = metric.replace(/_bucket$/, '');
      assert.match(scraped, new RegExp(`^# TYPE ${type} `, 'm'), `${name}: ${metric}`);
      const ours = matchers.filter(({ label }) => label !== 'job').map(({ label }) => label);
      const series = seriesOf(metric);
      for (const label of [...ours, ...groupLabelsOf(expression)])
        if (series.length > 0)
          assert.ok(
            series.some((line) => line.includes(`${label}="`)),
            `${name}: ${label}`,
          );
    }
  }
});

test('the alerts and the dashboard use only label values that the service exports', () => {
  const fixed = new Map([
    ['route', new Set(operations.map(({ path }) => String(path)))],
    ['method', new Set(operations.map(({ method }) => String(method).toUpperCase()))],
    ['reason', new Set<string>(REFUSALS)],
    ['state', valuesOf('gatehouse_deliveries_pending', 'state')],
  ]);
  for (const { name, expression } of queries)
    for (const { matchers } of selectorsOf(expression))
      for (const { label, value } of matchers) {
        const known = fixed.get(label);
        for (const one of value.split('|'))
          assert.ok(known === undefined || known.has(one), `${name}: ${label}="${one}"`);
      }
});

function valuesOf(metric: string, label: string): Set<string> {
  const pattern = new RegExp(`${label}="([^"]*)"`);
  return new Set(seriesOf(metric).map((line) => pattern.exec(line)?.[1] ?? ''));
}

test('an alert on a metric that other programs also export applies only to the job of the service', () => {
  for (const { name, expression } of alerts) {
    const selectors = selectorsOf(expression);
    assert.ok(
      selectors.every(({ metric }) => metric.startsWith('gatehouse_')) ||
        selectors.some(({ matchers }) =>
          matchers.some(({ label, value }) => label === 'job' && value === 'gatehouse'),
        ),
      name,
    );
  }
});

test('the operations guide explains exactly the existing alerts', () => {
  const guide = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const explained = [...guide.matchAll(/^\| `(Gatehouse\w+)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual(explained.toSorted(), alerts.map(({ name }) => name).toSorted());
});

test('each alert has a severity and a summary', () => {
  for (const { name, labels, summary } of alerts) {
    assert.ok(['page', 'warn'].includes(String(labels['severity'])), name);
    assert.match(summary, /^[A-Z].*\.$/, name);
  }
});

test('promtool accepts the names, types and units of all metrics', { skip: promtool }, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: scraped,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});

test('promtool accepts the rules and the queries of the dashboard', { skip: promtool }, () => {
  const rules = readPanelQueries().map(({ expression }, index) => ({
    record: `panel:${index}`,
    expr: expression.replaceAll('$job', 'gatehouse'),
  }));
  const dashboard = JSON.stringify({ groups: [{ name: 'dashboard', rules }] });
  using directory = temporaryDirectory();
  const file = join(directory.path, 'dashboard.yml');
  writeFileSync(file, dashboard);
  for (const [rules, count] of [
    [file, readPanelQueries().length],
    [join(DEPLOY, 'alerts.yml'), alerts.length],
  ] as const) {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`SUCCESS: ${count} rules found`));
  }
});
