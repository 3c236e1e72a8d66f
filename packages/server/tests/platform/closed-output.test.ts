import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../support/services/free-port.ts';
import { programOfDemo } from '../support/services/program.ts';
import {
  type Ended,
  type RunningService,
  runCommand,
  runProgram,
} from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';

/** Closes the pipe before the process writes to it, as `head` does. */
async function endWithClosedOutput({ process, ended }: RunningService): Promise<Ended> {
  process.stdout?.destroy();
  return ended;
}

test('the demo ends without an error when the reader of its output ends', async () => {
  const env = { GATEHOUSE_PORT: String(await freePort()) };
  const demo = runProgram(programOfDemo(), [], env);
  const { code, stderr } = await endWithClosedOutput(demo);
  assert.deepEqual([code, stderr], [0, '']);
});

test('a backup is completed although the reader of its output has ended', {
  skip: SQLITE_ONLY,
}, async () => {
  using directory = temporaryDirectory();
  await using _ = await startService(directory.path);
  const target = join(directory.path, 'backup');
  const backup = runCommand(['backup', target], { GATEHOUSE_DATA_DIR: directory.path });
  const { code, stderr } = await endWithClosedOutput(backup);
  assert.deepEqual([code, stderr], [0, '']);
  assert.ok(existsSync(join(target, 'gatehouse.db')));
});
