import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import pg from 'pg';
import { newEmptyDatabase } from '../../src/storage/postgres/database.suite.ts';
import { programOfService } from '../support/services/program.ts';
import { runCommand, runProgram, runService } from '../support/services/run-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { SQLITE_ONLY } from '../support/storage/backend.ts';
import { mountSmallDisk } from '../support/storage/small-disk.ts';

const DISK_MEGABYTES = 24;
const NO_MOUNT = 'SKIPPED: mounting a file system requires root';
const PAGE_BYTES = 8192;

/** The result of a process that cannot start: a single line and no stack trace. */
async function problemOf({ ended }: ReturnType<typeof runService>) {
  const { code, stderr } = await ended;
  assert.match(stderr, /^gatehouse: [^\n]+\n$/);
  return { code, line: stderr.trim() };
}

test('an argument of the service is rejected, because only environment variables configure the service', async () => {
  const invalid = { GATEHOUSE_PORT: 'http' };
  const { code, line } = await problemOf(runProgram(programOfService(), ['--port', '80'], invalid));
  assert.equal(code, 78, line);
  assert.match(line, /unexpected argument "--port"; .*GATEHOUSE_PORT/);
});

describe('with SQLite', { skip: SQLITE_ONLY }, () => {
  const directory = temporaryDirectory();
  after(() => directory[Symbol.dispose]());
  const good = join(directory.path, 'good');
  const envOf = (dataDir: string) => ({ GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_PORT: '0' });
  before(async () => {
    await using _ = await startService(good);
  });

  test('a full disk is reported with the data directory, and a retry may help', async (context) => {
    using disk = mountSmallDisk(DISK_MEGABYTES);
    if (disk === null) return context.skip(NO_MOUNT);
    const dataDir = join(disk.path, 'data');
    cpSync(good, dataDir, { recursive: true });
    disk.fill();
    const problems = [
      [dataDir, runService(envOf(dataDir))],
      [dataDir, runCommand(['rotate-signing-key'], envOf(dataDir))],
      [join(disk.path, 'new'), runService(envOf(join(disk.path, 'new')))],
      [join(disk.path, 'copy'), runCommand(['backup', join(disk.path, 'copy')], envOf(good))],
    ] as const;
    for (const [path, running] of problems) {
      const { code, line } = await problemOf(running);
      assert.equal(code, 75, line);
      assert.ok(line.startsWith(`gatehouse: ${path}: the disk is full`), line);
      assert.match(line, /free space/);
    }
    assert.ok(!existsSync(join(disk.path, 'copy.part')));
  });

  test('a full disk is also reported as a possible cause if SQLite only reports a failed disk', async (context) => {
    using disk = mountSmallDisk(DISK_MEGABYTES);
    if (disk === null) return context.skip(NO_MOUNT);
    const dataDir = join(disk.path, 'data');
    await using killed = await startService(dataDir);
    await killed.stop('SIGKILL');
    rmSync(join(dataDir, 'gatehouse.db-shm'));
    disk.fill();
    const { code, line } = await problemOf(runService(envOf(dataDir)));
    assert.equal(code, 75, line);
    assert.ok(line.startsWith(`gatehouse: ${dataDir}: `), line);
    assert.match(line, /disk I\/O error.*free space/);
  });

  test('a read-only file system is reported with its path as a misconfiguration', async (context) => {
    using disk = mountSmallDisk(DISK_MEGABYTES);
    if (disk === null) return context.skip(NO_MOUNT);
    const dataDir = join(disk.path, 'data');
    cpSync(good, dataDir, { recursive: true });
    execFileSync('mount', ['-o', 'remount,ro', disk.path]);
    const problems = [
      [dataDir, runService(envOf(dataDir))],
      [dataDir, runCommand(['rotate-signing-key'], envOf(dataDir))],
      [join(disk.path, 'copy'), runCommand(['backup', join(disk.path, 'copy')], envOf(good))],
    ] as const;
    for (const [path, running] of problems) {
      const { code, line } = await problemOf(running);
      assert.equal(code, 78, line);
      assert.ok(line.startsWith(`gatehouse: ${path}: `), line);
      assert.match(line, /writable/);
    }
  });

  test('a database file that cannot be opened is reported with its path', async () => {
    const dataDir = join(directory.path, 'blocked');
    cpSync(join(good, 'keys'), join(dataDir, 'keys'), { recursive: true });
    mkdirSync(join(dataDir, 'gatehouse.lock'));
    const { code, line } = await problemOf(runService(envOf(dataDir)));
    assert.equal(code, 78, line);
    assert.ok(line.startsWith(`gatehouse: ${dataDir}: may not be read or written`), line);
    assert.match(line, /owner/);
  });

  test('a damaged database is reported with its file and the advice to restore a backup', async () => {
    const dataDir = join(directory.path, 'damaged');
    cpSync(good, dataDir, { recursive: true });
    const file = join(dataDir, 'gatehouse.db');
    const content = readFileSync(file);
    for (const damage of ['header', 'pages'] as const) {
      const damaged = Buffer.from(content);
      if (damage === 'header') damaged.write('this file is no database');
      else damaged.fill(7, PAGE_BYTES, 20 * PAGE_BYTES);
      writeFileSync(file, damaged);
      for (const running of [
        runService(envOf(dataDir)),
        runCommand(['rotate-signing-key'], envOf(dataDir)),
        runCommand(['backup', join(directory.path, 'copy'), '--check'], envOf(dataDir)),
      ]) {
        const { code, line } = await problemOf(running);
        assert.equal(code, 78, line);
        assert.match(line, /damaged/);
        assert.ok(line.includes(file), line);
        assert.match(line, /restore an? (earlier )?backup/);
      }
      for (const name of ['copy', 'copy.part']) assert.ok(!existsSync(join(directory.path, name)));
    }
  });

  test('a database file whose end is missing is reported as damaged, and the service leaves it unchanged', async () => {
    const dataDir = join(directory.path, 'cut-off');
    cpSync(good, dataDir, { recursive: true });
    const file = join(dataDir, 'gatehouse.db');
    const { size } = statSync(file);
    for (const left of [size - 1, size - PAGE_BYTES, PAGE_BYTES - 1, 1, 0]) {
      truncateSync(file, left);
      const { code, line } = await problemOf(runService(envOf(dataDir)));
      assert.equal(code, 78, line);
      assert.ok(
        line.startsWith(`gatehouse: ${file}: is ${left === 0 ? 'empty' : 'damaged'}`),
        line,
      );
      assert.match(line, /restore a backup/);
      assert.equal(statSync(file).size, left);
    }
  });

  test('a backup below a file is reported with its path', async () => {
    const target = join(good, 'gatehouse.db', 'copy');
    const { code, line } = await problemOf(runCommand(['backup', target], envOf(good)));
    assert.equal(code, 78, line);
    assert.match(line, /gatehouse\.db.*check the path/);
  });
});

describe('with PostgreSQL', { skip: postgresIsMissing }, () => {
  const envOf = (url: string) => ({
    GATEHOUSE_DATABASE_URL: url,
    GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    GATEHOUSE_PORT: '0',
  });

  test('a user without rights on the schema is reported with the statement that grants them', async () => {
    const url = await newEmptyDatabase();
    const user = `${databaseIn(url)}_stranger`;
    await execute(url, `create role ${user} login; revoke create on schema public from public`);
    const env = envOf(url.replace('gatehouse@', `${user}@`));
    const cannotCreate = await problemOf(runService(env));
    await execute(url, 'revoke all on schema public from public');
    const cannotUse = await problemOf(runService(env));
    for (const { code, line } of [cannotCreate, cannotUse]) {
      assert.equal(code, 78, line);
      assert.match(line, /grant usage, create on schema public/);
    }
  });

  test('a database that accepts only reads is reported, and a retry may help', async () => {
    const url = await newEmptyDatabase();
    await execute(url, `alter database ${databaseIn(url)} set default_transaction_read_only = on`);
    const { code, line } = await problemOf(runService(envOf(url)));
    assert.equal(code, 75, line);
    assert.match(line, /the database is read-only .*connect to the primary/);
  });
});

async function execute(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statements).finally(() => client.end());
}

function databaseIn(url: string): string {
  return /test_\w+/.exec(url)?.[0] ?? '';
}
