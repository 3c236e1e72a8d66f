import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { ON_POSTGRES } from '../support/backend.ts';
import { MAIN } from '../support/run-service.ts';
import { until } from '../support/until.ts';

/** Makes the program the first process of a world of its own, as an engine for containers does. */
const UNSHARE = ['--pid', '--fork', '--kill-child'];

function whySkipped(): string | false {
  if (ON_POSTGRES) return 'it runs with the embedded store';
  return spawnSync('unshare', [...UNSHARE, 'true']).status === 0
    ? false
    : 'processes cannot be given a world of their own here';
}

test('SIGTERM ends a service that is the first process of a container, also while it waits for its database', {
  skip: whySkipped(),
}, async () => {
  let asked = false;
  // Takes connections, and never says a word.
  const database = createServer(() => {
    asked = true;
  }).listen(0, '127.0.0.1');
  await once(database, 'listening');
  const address = database.address();
  assert.ok(typeof address === 'object' && address !== null);
  const unshare = spawn('unshare', [...UNSHARE, process.execPath, MAIN], {
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
    await until('it asks the database', () => asked);
    const children = readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8');
    process.kill(Number(children.trim()), 'SIGTERM');
    assert.deepEqual(await ended, [143, null]);
  } finally {
    unshare.kill('SIGKILL');
    database.close();
  }
});
