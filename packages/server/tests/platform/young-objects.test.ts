import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runService } from '../support/services/run-service.ts';
import { ADMIN, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

/** Compares the options of V8 at the start and at the end of the process. */
const COMPARE = `
  import { cachedDataVersionTag } from 'node:v8';
  import { isMainThread } from 'node:worker_threads';
  const before = cachedDataVersionTag();
  const show = () => console.error(cachedDataVersionTag() === before ? 'unchanged' : 'changed');
  if (isMainThread) process.once('exit', show);
`;

test('the service changes the options of V8', async () => {
  using directory = temporaryDirectory();
  const { process: service, ended } = runService({
    GATEHOUSE_DATA_DIR: directory.path,
    GATEHOUSE_PORT: '0',
    GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
    GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COMPARE)}`,
  });
  let shown = '';
  service.stdout?.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  await until('the service is ready', () => shown.includes('ready'));
  service.kill('SIGTERM');
  assert.equal((await ended).stderr.trim(), 'changed');
});
