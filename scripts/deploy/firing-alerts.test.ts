import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { readAlerts } from './alerts.ts';
import { DEPLOY } from './files.ts';

const promtool = spawnSync('promtool', ['--version']).status === 0 ? false : 'promtool is missing';
const alerts = readAlerts();

interface Situation {
  readonly name: string;
  readonly alert: string;
  readonly fires: boolean;
  /** Series by name, in the notation of promtool: one value per minute. */
  readonly series: Readonly<Record<string, string>>;
  /** Labels of the alert besides its severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

const requests = (labels: string) => `gatehouse_http_requests_total{job="gatehouse",${labels}}`;
const PROBES = {
  [requests('method="GET",route="/readyz",status="200"')]: '0+180x60',
  [requests('method="GET",route="/healthz",status="200"')]: '0+60x60',
  [requests('method="GET",route="/metrics",status="200"')]: '0+4x60',
};
const LAG = 'gatehouse_sink_lag_events{job="gatehouse",sink="nats"}';
const PUBLISHED = 'gatehouse_sink_events_total{job="gatehouse",sink="nats",outcome="published"}';

const waitOf = (instance: string) =>
  `gatehouse_deliveries_wait_seconds{job="gatehouse",instance="${instance}"}`;

const SITUATIONS: readonly Situation[] = [
  {
    name: 'few requests, and all of them end with 503 beside many probes',
    alert: 'GatehouseUnavailable',
    fires: true,
    series: { ...PROBES, [requests('method="POST",route="/events",status="503"')]: '0+1x60' },
  },
  {
    name: 'one of 200 requests ends with 503',
    alert: 'GatehouseUnavailable',
    fires: false,
    series: {
      [requests('method="POST",route="/events",status="200"')]: '0+199x60',
      [requests('method="POST",route="/events",status="503"')]: '0+1x60',
    },
  },
  {
    name: 'probes of a draining replica end with 503',
    alert: 'GatehouseUnavailable',
    fires: false,
    series: {
      [requests('method="GET",route="/readyz",status="503"')]: '0+60x60',
      [requests('method="POST",route="/events",status="200"')]: '0+1x60',
    },
  },
  {
    name: 'events wait, and no replica has tried to publish one since its start',
    alert: 'GatehouseSinkStopped',
    fires: true,
    labels: { sink: 'nats' },
    series: { [LAG]: '3x60' },
  },
  {
    name: 'events wait, and publishing has failed for an hour',
    alert: 'GatehouseSinkStopped',
    fires: true,
    labels: { sink: 'nats' },
    series: { [LAG]: '3x60', [PUBLISHED]: '500x60' },
  },
  {
    name: 'events wait, and one event is published per minute',
    alert: 'GatehouseSinkStopped',
    fires: false,
    series: { [LAG]: '3x60', [PUBLISHED]: '0+1x60' },
  },
  {
    name: 'a delivery has failed for an hour, and one replica does not deliver',
    alert: 'GatehouseDeliveriesWaiting',
    fires: true,
    series: { [waitOf('one')]: '600+60x60', [waitOf('two')]: '0x60' },
  },
  {
    name: 'deliveries that fail are accepted within an hour',
    alert: 'GatehouseDeliveriesWaiting',
    fires: false,
    series: { [waitOf('one')]: '0+60x59 0' },
  },
  {
    name: 'a replica uses as much memory as in an hour with almost all features',
    alert: 'GatehouseMemory',
    fires: false,
    series: { 'process_resident_memory_bytes{job="gatehouse"}': `${801 * 1024 * 1024}x60` },
  },
];

for (const situation of SITUATIONS)
  test(`${situation.alert} ${situation.fires ? 'fires' : 'does not fire'}: ${situation.name}`, {
    skip: promtool,
  }, () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, 'situation.yml');
    writeFileSync(file, JSON.stringify(testOf(situation)));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
  });

/** Returns a test of the alert rules in the format of promtool. */
function testOf({ alert, fires, series, labels = {} }: Situation): object {
  const rule = alerts.find(({ name }) => name === alert);
  const firing = {
    exp_labels: { ...rule?.labels, ...labels },
    exp_annotations: { summary: rule?.summary },
  };
  return {
    rule_files: [join(DEPLOY, 'alerts.yml')],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [
          { eval_time: '60m', alertname: alert, exp_alerts: fires ? [firing] : [] },
        ],
      },
    ],
  };
}
