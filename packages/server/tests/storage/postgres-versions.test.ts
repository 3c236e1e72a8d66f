import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { FULL } from '@gatehouse/filter/tests/campaign';
import { temporaryDirectory } from '../support/services/service.ts';
import { installed, type PostgresServer } from '../support/tools.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const SERVERS: readonly PostgresServer[] = [
  'postgres-13',
  'postgres-14',
  'postgres-16',
  'postgres-17',
  'postgres-18',
];

/** The suites of all ports, the agreement of the filter's implementations, and each path of data through the service. */
const TESTS = [
  'packages/filter/tests',
  'packages/server/src/storage/postgres',
  'packages/server/src/platform/copy',
  'packages/server/tests/knowledge/find-documents.test.ts',
  'packages/server/tests/knowledge/records.test.ts',
  'packages/server/tests/links/revoke-a-link.test.ts',
  'packages/server/tests/outbound/deliver-events.test.ts',
  'packages/server/tests/platform/one-machine-to-many.test.ts',
  'packages/server/tests/storage/kill-and-restart.test.ts',
];

describe('the tests of the storage pass', () => {
  for (const server of SERVERS) {
    const folder = installed(server);
    const missing = folder === null && 'not installed (scripts/prepare-tests.sh chaos)';
    test(`on ${server}`, { skip: missing || (!FULL && 'runs in npm run test:chaos') }, () => {
      using copy = temporaryDirectory();
      copyReadableByAll(folder ?? '', copy.path);
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(ROOT, 'scripts/test.ts'), 'all', ...TESTS],
        { env: environmentWith(join(copy.path, 'bin')), encoding: 'utf8' },
      );
      assert.equal(status, 0, `${stdout}${stderr}`);
    });
  }
});

/** PostgreSQL does not run as root, and another user cannot read the cache in the home folder of root. */
function copyReadableByAll(folder: string, target: string): void {
  cpSync(folder, target, { recursive: true, verbatimSymlinks: true });
  chmodSync(target, 0o755);
}

/** Returns an environment in which tests find the PostgreSQL server in `bin` first. */
function environmentWith(bin: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('GATEHOUSE_') && name !== 'NODE_TEST_CONTEXT',
  );
  return { ...Object.fromEntries(own), PATH: `${bin}${delimiter}${process.env['PATH']}` };
}
