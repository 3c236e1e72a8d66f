import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { programOfCommands, programOfService } from '../support/services/program.ts';
import { runProgram } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';

/** Without these capabilities, the modes of files also apply to root. */
const UNPRIVILEGED =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

describe('a process without the rights on a file', { skip: SQLITE_ONLY }, () => {
  const directory = temporaryDirectory();
  after(() => directory[Symbol.dispose]());
  const good = join(directory.path, 'good');
  before(async () => {
    await using _ = await startService(good);
  });
  const copyOfGood = (name: string) => {
    const dataDir = join(directory.path, name);
    cpSync(good, dataDir, { recursive: true });
    return dataDir;
  };

  test('does not use a data directory that it cannot lock', async () => {
    const dataDir = copyOfGood('lock');
    chmodSync(join(dataDir, 'gatehouse.lock'), 0o444);
    await expectProblem(service(dataDir), {
      code: 78,
      start: `${join(dataDir, 'gatehouse.lock')}: may not be read or written (EACCES); make the user`,
    });
  });

  test('names each file of the store that it may not write', async () => {
    for (const name of ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.db-shm', 'keys/secret']) {
      const dataDir = copyOfGood(name.replaceAll(/\W/g, '-'));
      writeFileSync(join(dataDir, name), '', { flag: 'a' });
      chmodSync(join(dataDir, name), 0);
      const start = `${join(dataDir, name)}: may not be read or written (EACCES)`;
      await expectProblem(service(dataDir), { code: 78, start });
      if (name !== 'keys/secret')
        await expectProblem(command(dataDir, 'setup-link'), { code: 78, start });
    }
  });

  test('names a data directory that it may not write, also in a backup', async () => {
    const dataDir = copyOfGood('directory');
    const start = `${dataDir}: may not be read or written (EACCES)`;
    chmodSync(dataDir, 0o500);
    await expectProblem(service(dataDir), { code: 78, start });
    chmodSync(dataDir, 0);
    const copy = join(directory.path, 'copy');
    await expectProblem(command(dataDir, 'backup', copy), { code: 78, start });
    chmodSync(dataDir, 0o700);
  });

  test('names a directory of the data directory whose files it cannot see', async () => {
    const dataDir = copyOfGood('unreadable-keys');
    const keys = join(dataDir, 'keys');
    chmodSync(keys, 0);
    const start = `${keys}: may not be read or written (EACCES); make the user`;
    await expectProblem(service(dataDir), { code: 78, start });
    chmodSync(keys, 0o700);
  });

  test('names the parent of a directory that it cannot create', async () => {
    const parent = join(directory.path, 'parent');
    mkdirSync(parent, { mode: 0o500 });
    const data = join(parent, 'data');
    await expectProblem(service(data), {
      code: 78,
      start: `${data}: may not be created in ${parent} (EACCES); create the directory`,
    });
    await expectProblem(command(good, 'backup', join(parent, 'backup')), {
      code: 78,
      start: `${parent}: nothing may be created there (EACCES); make it writable`,
    });
    assert.deepEqual(readdirSync(parent), []);
  });
});

const envOf = (dataDir: string) => ({ GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_PORT: '0' });
const service = (dataDir: string) =>
  runProgram(programOfService(), [], envOf(dataDir), UNPRIVILEGED);
const command = (dataDir: string, ...args: string[]) =>
  runProgram(programOfCommands(), args, envOf(dataDir), UNPRIVILEGED);

async function expectProblem(
  { ended }: ReturnType<typeof runProgram>,
  { code, start }: { readonly code: number; readonly start: string },
): Promise<void> {
  const { code: actual, stdout, stderr } = await ended;
  assert.ok(stderr.startsWith(`gatehouse: ${start}`), stderr);
  assert.equal(actual, code);
  assert.match(stderr, /^[^\n]+\n$/);
  assert.doesNotMatch(stdout, /"level":50/);
}
