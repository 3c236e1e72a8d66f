import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { programOfService } from '../support/services/program.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { until } from '../support/until.ts';

/** Options that make the program process 1 of a PID namespace, as in a container. */
const UNSHARE = ['--pid', '--fork', '--kill-child'];

function whySkipped(): string | false {
  if (ON_POSTGRES) return 'runs only with SQLite';
  return spawnSync('unshare', [...UNSHARE, 'true']).status === 0
    ? false
    : 'PID namespaces are not available';
}

test('SIGTERM stops a service that runs as process 1 and waits for its database', {
  skip: whySkipped(),
}, async () => {
  let connected = false;
  // Accepts connections and never responds.
  const database = createServer(() => {
    connected = true;
  }).listen(0, '127.0.0.1');
  await once(database, 'listening');
  const address = database.address();
  assert.ok(typeof address === 'object' && address !== null);
  const unshare = spawn('unshare', [...UNSHARE, process.execPath, programOfService()], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'] ?? '',
      GATEHOUSE_PORT: '0',
      GATEHOUSE_DATABASE_URL: `postgres://gatehouse@127.0.0.1:${address.port}/gatehouse`,
      GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    },
  });
  const ended = once(unshare, 'exit');
  try {
    await until('the service connects to the database', () => connected);
    const children = readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8');
    process.kill(Number(children.trim()), 'SIGTERM');
    assert.deepEqual(await ended, [143, null]);
  } finally {
    unshare.kill('SIGKILL');
    database.close();
  }
});
