import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { EXIT } from '../../packages/server/src/platform/installation/index.ts';
import { readSettings } from '../../packages/server/src/platform/settings/index.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { ROOT, textOf } from './files.ts';

/** The directory of the clone in the unit. */
const INSTALLED_IN = '/opt/gatehouse';

const unit = textOf('systemd/gatehouse.service');
const example = parseEnv(textOf('systemd/gatehouse.env.example'));

/** Returns the values of an option of the unit. */
function valuesOf(option: string): string[] {
  const line = new RegExp(`^${option}=(.*)$`, 'gm');
  return [...unit.matchAll(line)].map(([, value = '']) => value);
}

function settingsOfExample() {
  const read = readSettings({
    ...example,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  } as Record<string, string>);
  assert.ok(read.ok, read.ok ? '' : read.problems.join('\n'));
  return read.settings;
}

const noSystemd =
  spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd-analyze is not installed';

test('systemd accepts the unit', { skip: noSystemd }, () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gatehouse.service');
  // systemd checks that the programs exist.
  writeFileSync(file, unit.replaceAll(INSTALLED_IN, ROOT));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});

test('the example of the environment file has valid settings and no secret', () => {
  assert.equal(example['GATEHOUSE_SECRET'], '');
  const [stateDirectory = ''] = valuesOf('StateDirectory');
  assert.equal(settingsOfExample().dataDir, `/var/lib/${stateDirectory}`);
});

test('systemd restarts the service unless its settings are wrong', () => {
  assert.deepEqual(valuesOf('Restart'), ['on-failure']);
  assert.deepEqual(valuesOf('RestartPreventExitStatus'), [String(EXIT.misconfigured)]);
  assert.deepEqual(valuesOf('StartLimitIntervalSec'), ['0']);
});

test('systemd gives the service time to finish its requests, and file descriptors for all listeners', () => {
  const { drainSeconds, stopSeconds, eventsListeners } = settingsOfExample();
  assert.ok(Number(valuesOf('TimeoutStopSec')[0]) > (drainSeconds ?? 5) + stopSeconds);
  assert.ok(Number(valuesOf('LimitNOFILE')[0]) > eventsListeners);
});
