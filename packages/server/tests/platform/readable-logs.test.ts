import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { freePort } from '../support/services/free-port.ts';
import { programOfService } from '../support/services/program.ts';
import { runService } from '../support/services/run-service.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { copyMigratedDatabase } from '../support/storage/migrated-database.ts';
import { until } from '../support/until.ts';

const READY = /^\d\d:\d\d:\d\d\.\d{3} INFO {2}ready {2}url=http:\/\/127\.0\.0\.1:\d+$/;
const ESCAPE = '\u001b';

/** Returns the settings of a service without an administrator on a new store in this directory. */
function settings(dataDir: string) {
  copyMigratedDatabase(dataDir);
  return { GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_PORT: '0' };
}

/** Starts the service without a terminal, stops it, and returns its log. */
async function logWithoutTerminal(env: Readonly<Record<string, string>>): Promise<string[]> {
  using directory = temporaryDirectory();
  const running = runService({ ...settings(directory.path), ...env });
  let shown = '';
  running.process.stdout?.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  await until('the service is ready', () => shown.includes('ready'));
  running.process.kill('SIGTERM');
  const { code, stdout } = await running.ended;
  assert.equal(code, 0);
  return stdout.trimEnd().split('\n');
}

/** Starts the service on a pseudo-terminal, presses Ctrl-C when it is ready, and returns the lines on the terminal. */
async function linesOnTerminal(env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  using directory = temporaryDirectory();
  const command = `exec "${process.execPath}" "${programOfService()}"`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', ...settings(directory.path), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const ended = once(child, 'close');
  try {
    await until('the service is ready', () => shown.includes('ready'));
    child.stdin.write('\u0003');
    assert.deepEqual(await ended, [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
  return shown.trimEnd().split('\r\n');
}

const skip = ON_POSTGRES
  ? 'runs only with SQLite'
  : spawnSync('script', ['--version']).status !== 0 && 'script (util-linux) is not installed';

test('without a terminal, the log consists of JSON lines', async () => {
  for (const line of await logWithoutTerminal({}))
    assert.equal(typeof (JSON.parse(line) as { level: unknown }).level, 'number');
});

test('GATEHOUSE_LOG_FORMAT=text writes readable lines without colours if there is no terminal', async () => {
  const lines = await logWithoutTerminal({ GATEHOUSE_LOG_FORMAT: 'text' });
  assert.ok(
    lines.some((line) => READY.test(line)),
    lines.join('\n'),
  );
  assert.ok(lines.at(-1)?.endsWith(' INFO  stopped'));
});

test('on a terminal, the log consists of readable lines with colours', { skip }, async () => {
  const lines = await linesOnTerminal();
  assert.ok(lines.some((line) => line.includes(`${ESCAPE}[32mINFO ${ESCAPE}[0m ready`)));
  assert.ok(lines.every((line) => !line.startsWith('{')));
});

test('NO_COLOR turns colours on a terminal off', { skip }, async () => {
  const lines = await linesOnTerminal({ NO_COLOR: '1' });
  assert.ok(
    lines.some((line) => READY.test(line)),
    lines.join('\n'),
  );
  assert.ok(lines.every((line) => !line.includes(ESCAPE)));
});

test('GATEHOUSE_LOG_FORMAT=json writes JSON lines on a terminal', { skip }, async () => {
  const lines = await linesOnTerminal({ GATEHOUSE_LOG_FORMAT: 'json' });
  const ready = lines.find((line) => line.includes('"ready"')) ?? '';
  assert.equal((JSON.parse(ready) as { msg: unknown }).msg, 'ready');
});

/** Starts a service, and stops reading its log as soon as it is ready. */
async function startUnread(dataDir: string, format: string) {
  const running = runService({ ...settings(dataDir), GATEHOUSE_LOG_FORMAT: format });
  const { stdout } = running.process;
  assert.ok(stdout !== null);
  let shown = '';
  stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  await until('the service is ready', () => shown.includes('ready'));
  stdout.pause();
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(shown) ?? [];
  const request = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1)
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
  };
  return { ...running, stdout, request };
}

for (const format of ['json', 'text']) {
  test(`the service works and stops although nobody reads its log any more, as ${format}`, async () => {
    using directory = temporaryDirectory();
    const service = await startUnread(directory.path, format);
    service.stdout.destroy();
    // More lines than fit into the buffer, so that some are written before the stop.
    await service.request(60);
    service.process.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
  });

  test(`the service works and stops although the reader of its log does not read, as ${format}`, async () => {
    using directory = temporaryDirectory();
    const service = await startUnread(directory.path, format);
    // Their lines are longer than the buffers of the pipe and of this process.
    await service.request(3000);
    const exited = once(service.process, 'exit');
    service.process.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    service.stdout.resume();
    await service.ended;
  });
}

test('the service stops if the reader of its log goes away just before', async () => {
  using directory = temporaryDirectory();
  const service = await startUnread(directory.path, 'json');
  service.stdout.destroy();
  service.process.kill('SIGTERM');
  assert.equal((await service.ended).code, 0);
});

test('the service works and stops although the disk of its log is full', async () => {
  using directory = temporaryDirectory();
  const port = await freePort();
  const command = `exec "${process.execPath}" "${programOfService()}" > /dev/full`;
  const service = spawn('sh', ['-c', command], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ...settings(directory.path),
      GATEHOUSE_PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(service, 'exit');
  const isUp = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok);
  await until('the service is ready', () => isUp().catch(() => false));
  for (let count = 0; count < 60; count += 1) assert.ok(await isUp());
  service.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});
