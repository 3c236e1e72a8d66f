import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { killedAfterFirstLine } from '../sqlite/crashes/child.suite.ts';
import { openDatabase, schemaOf } from '../sqlite/open-database.suite.ts';
import { temporaryDirectory } from '../sqlite/open-store.suite.ts';
import { type Migration, sqliteMigrations } from './index.ts';
import { migrate, NewerSchema } from './migrate.ts';

const steps = Object.entries(sqliteMigrations);
const firstSteps = (count: number) => Object.fromEntries(steps.slice(0, count));

async function migrated(
  file: string,
  ...runs: readonly Readonly<Record<string, Migration>>[]
): Promise<string[]> {
  await using opened = openDatabase(file);
  for (const migrations of runs) await migrate(opened.db, migrations);
  return schemaOf(file);
}

test('a database of each earlier version comes to the same schema as a new one', async () => {
  using directory = temporaryDirectory();
  const expected = await migrated(join(directory.path, 'new.db'), sqliteMigrations);
  assert.ok(expected.length > 10);
  for (let count = 0; count <= steps.length; count += 1) {
    const file = join(directory.path, `${count}.db`);
    assert.deepEqual(await migrated(file, firstSteps(count), sqliteMigrations), expected);
  }
});

test('what is in a database of an earlier version is kept', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'));
  await migrate(opened.db, firstSteps(1));
  await sql`insert into spaces (id, name, created_at) values ('s', 'x', 1)`.execute(opened.db);
  await migrate(opened.db, sqliteMigrations);
  const { rows } = await sql`select name from spaces`.execute(opened.db);
  assert.deepEqual(
    rows.map((row) => ({ ...(row as object) })),
    [{ name: 'x' }],
  );
});

test('a database that a newer release wrote is refused and left as it is', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'a.db');
  const newer = { ...sqliteMigrations, '9999-later': { up: async () => {} } };
  const before = await migrated(file, newer);
  await assert.rejects(migrated(file, sqliteMigrations), (error: Error) => {
    assert.ok(error instanceof NewerSchema);
    assert.match(error.message, /9999-later/);
    return true;
  });
  assert.deepEqual(schemaOf(file), before);
});

test('a step that fails is not begun, those before it are done, and it can be run again', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'));
  const names = async () =>
    (await sql<{ name: string }>`select name from migrations`.execute(opened.db)).rows.map(
      ({ name }) => name,
    );
  const failing: Migration = {
    up: async (db) => {
      await sql`create table half (id integer)`.execute(db);
      throw new Error('power cut');
    },
  };
  await assert.rejects(migrate(opened.db, { ...firstSteps(1), later: failing }), /power cut/);
  assert.deepEqual(await names(), [steps[0]?.[0]]);
  const whole: Migration = {
    up: async (db) => {
      await sql`create table half (id integer)`.execute(db);
    },
  };
  await migrate(opened.db, { ...firstSteps(1), later: whole });
  assert.deepEqual(await names(), [steps[0]?.[0], 'later']);
});

test('a step in which the process is killed is not begun', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'a.db');
  const line = await killedAfterFirstLine('../../migrations/migrate-and-hang.suite.ts', [file]);
  assert.equal(line, 'inside');
  await using opened = openDatabase(file);
  const { rows } = await sql`select name from migrations`.execute(opened.db);
  assert.deepEqual(rows, []);
  assert.deepEqual(
    schemaOf(file).filter((statement) => statement.includes('half')),
    [],
  );
});
