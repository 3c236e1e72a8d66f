import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { killedAfterFirstLine } from '../sqlite/crashes/child.suite.ts';
import { openDatabase, schemaOf } from '../sqlite/open-database.suite.ts';
import { temporaryDirectory } from '../sqlite/open-store.suite.ts';
import { type Migrations, migrate, NewerSchema, sqliteMigrations } from './index.ts';
import { statements } from './migrate.ts';

const NEXT: Migrations = {
  ...sqliteMigrations,
  '0002-colours': statements([
    "alter table spaces add column colour text not null default 'red'",
    'create table colours (name text primary key)',
  ]),
};

async function migrated(file: string, ...releases: readonly Migrations[]): Promise<string[]> {
  await using opened = openDatabase(file);
  for (const migrations of releases) await migrate(opened.db, migrations);
  return schemaOf(file);
}

async function appliedTo(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

test('an empty database and a database of the previous release get the same schema', async () => {
  using directory = temporaryDirectory();
  const file = (name: string) => join(directory.path, name);
  const expected = await migrated(file('empty.db'), NEXT);
  assert.ok(expected.some((statement) => statement.includes('colours')));
  assert.deepEqual(await migrated(file('upgraded.db'), sqliteMigrations, NEXT), expected);
  assert.deepEqual(await migrated(file('again.db'), NEXT, NEXT), expected);
});

test('a migration preserves existing data', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'));
  await migrate(opened.db, sqliteMigrations);
  await sql`insert into spaces (id, name, created_at) values ('s', 'x', 1)`.execute(opened.db);
  await migrate(opened.db, NEXT);
  const { rows } = await sql`select name, colour from spaces`.execute(opened.db);
  assert.deepEqual(
    rows.map((row) => ({ ...(row as object) })),
    [{ name: 'x', colour: 'red' }],
  );
});

test('rejects a database that a newer release migrated, and leaves the database unchanged', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'a.db');
  const before = await migrated(file, NEXT);
  await assert.rejects(migrated(file, sqliteMigrations), (error: Error) => {
    assert.ok(error instanceof NewerSchema);
    assert.match(error.message, /0002-colours/);
    return true;
  });
  assert.deepEqual(schemaOf(file), before);
});

test('an earlier release accepts a schema whose newer migrations are marked as compatible', async () => {
  using directory = temporaryDirectory();
  const compatible = statements(['create table more (id integer)']);
  const newer = { ...sqliteMigrations, '0002-more+': compatible };
  const file = join(directory.path, 'a.db');
  const after = await migrated(file, newer);
  assert.deepEqual(await migrated(file, sqliteMigrations), after);
});

test('a failed migration is rolled back and runs again at the next start', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'));
  const half = 'create table half (id integer)';
  const failing = { ...sqliteMigrations, '0009-half': statements([half, 'power cut']) };
  await assert.rejects(migrate(opened.db, failing), /syntax error/);
  const released = Object.keys(sqliteMigrations);
  assert.deepEqual(await appliedTo(opened.db), released);
  await migrate(opened.db, { ...sqliteMigrations, '0009-half': statements([half]) });
  assert.deepEqual(await appliedTo(opened.db), [...released, '0009-half']);
});

test('a migration is rolled back if the process is killed', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'a.db');
  const line = await killedAfterFirstLine('../../migrations/migrate-and-hang.suite.ts', [file]);
  assert.equal(line, 'inside');
  await using opened = openDatabase(file);
  assert.deepEqual(await appliedTo(opened.db), []);
  assert.ok(!schemaOf(file).some((statement) => statement.includes('half')));
});
