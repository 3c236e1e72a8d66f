import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { freePort } from '../support/services/free-port.ts';
import { programOfService } from '../support/services/program.ts';
import { runProgram } from '../support/services/run-service.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { copyMigratedDatabase } from '../support/storage/migrated-database.ts';
import { until } from '../support/until.ts';

const DESCRIPTORS = 128;

const skip =
  SQLITE_ONLY ||
  (spawnSync('prlimit', ['--version']).status !== 0 && 'prlimit (util-linux) is not installed');

test('the log says that no file descriptor is free, and requests succeed when connections end', {
  skip,
}, async () => {
  using directory = temporaryDirectory();
  copyMigratedDatabase(directory.path);
  const port = await freePort();
  const env = { GATEHOUSE_DATA_DIR: directory.path, GATEHOUSE_PORT: String(port) };
  const running = runProgram(programOfService(), [], env, ['prlimit', `--nofile=${DESCRIPTORS}`]);
  let output = '';
  running.process.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const sockets: Socket[] = [];
  try {
    await until('the service is ready', () => output.includes('"msg":"ready"'));
    for (let count = 0; count < DESCRIPTORS; count += 1)
      sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
    await until('the log names the problem', () => output.includes('no file descriptor is free'));
    for (const socket of sockets) socket.destroy();
    await until('the service responds', async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      return response?.status === 200;
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    running.process.kill('SIGTERM');
  }
  assert.equal((await running.ended).code, 0);
});
