import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { StorageUnavailable, UniqueViolation } from '../../lib/threads/storage-errors.ts';
import { NewerSchema } from '../migrations/index.ts';
import { prepareWrite } from '../ports/prepared.ts';
import { DatabaseUnavailable, UnusableDatabase } from '../ports/store.ts';
import { inTransaction } from '../ports/transactions.ts';
import { newEmptyDatabase } from './database.suite.ts';
import { openStore } from './open-store.suite.ts';
import { openPool } from './pool.ts';

const options = { skip: postgresIsMissing };
const space = (id: string) => ({ id, name: id, created_at: Date.now() });

test('migrates an empty database once if several replicas start on it', options, async () => {
  const url = await newEmptyDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(url)));
  await Promise.all(
    stores.map(({ db }, index) =>
      db
        .insertInto('spaces')
        .values(space(`s${index}`))
        .execute(),
    ),
  );
  for (const store of stores) {
    const { count } = await store.db
      .selectFrom('spaces')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(count, 4);
  }
  for (const store of stores) await store[Symbol.asyncDispose]();
});

test('returns numbers as numbers and sorts text by bytes', options, async () => {
  await using store = await openStore(await newEmptyDatabase());
  const ids = ['b', 'B', 'a', 'ä', '_'];
  await store.db.insertInto('spaces').values(ids.map(space)).execute();
  const rows = await store.db.selectFrom('spaces').selectAll().orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['B', '_', 'a', 'b', 'ä'],
  );
  assert.equal(typeof rows[0]?.created_at, 'number');
});

test('retries a transaction that conflicts with another transaction', options, async () => {
  await using store = await openStore(await newEmptyDatabase());
  await store.db.insertInto('spaces').values(space('s')).execute();
  let attempts = 0;
  const bothHaveRead = Promise.withResolvers<void>();
  const add = () =>
    inTransaction(store.db, async (trx) => {
      const bots = await trx.selectFrom('bots').where('space_id', '=', 's').select('id').execute();
      attempts += 1;
      if (attempts === 2) bothHaveRead.resolve();
      await bothHaveRead.promise;
      const bot = { space_id: 's', name: String(bots.length), suggestions: '[]', created_at: 1 };
      await trx.insertInto('bots').values(bot).execute();
    });
  await Promise.all([add(), add()]);
  const bots = await store.db.selectFrom('bots').select('name').orderBy('name').execute();
  assert.deepEqual(
    bots.map(({ name }) => name),
    ['0', '1'],
  );
  assert.equal(attempts, 3);
});

test('rolls back all writes of a group if one write fails', options, async () => {
  await using store = await openStore(await newEmptyDatabase());
  const insert = (id: string) => store.db.insertInto('spaces').values(space(id));
  await assert.rejects(
    store.writeAtomically([insert('a'), insert('b'), insert('a')]),
    UniqueViolation,
  );
  assert.deepEqual(await store.db.selectFrom('spaces').select('id').execute(), []);
  await store.writeAtomically([insert('a'), insert('b')]);
  assert.equal((await store.db.selectFrom('spaces').select('id').execute()).length, 2);
});

test('retries reads whose connection the server has terminated', options, async () => {
  const url = await newEmptyDatabase();
  await using store = await openStore(url, { onError: () => {} });
  await using other = openPool({ url, connections: 1, onError: () => {} });
  const read = () => store.db.selectFrom('spaces').select('id').execute();
  await read();
  for (let round = 0; round < 10; round += 1) {
    await other.run(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    assert.deepEqual(await read(), []);
  }
});

test('explains why a database is unreachable, missing or not durable', options, async () => {
  const away = 'postgres://gatehouse:secret-word@127.0.0.1:1/x';
  await assert.rejects(openStore(away), (error: Error) => {
    assert.ok(error instanceof DatabaseUnavailable);
    assert.match(error.message, /^GATEHOUSE_DATABASE_URL: .*ECONNREFUSED/);
    assert.doesNotMatch(error.message, /secret-word/);
    return true;
  });
  const url = await newEmptyDatabase();
  await assert.rejects(openStore(url.replace(/test_\w+/, 'missing')), UnusableDatabase);
  await using pool = openPool({ url, connections: 1, onError: () => {} });
  const { rows } = await pool.run('select current_database() as name');
  await pool.run(`alter database ${rows[0]?.['name']} set synchronous_commit = off`);
  await assert.rejects(openStore(url), /synchronous_commit is off/);
});

test(
  'warns of a default isolation level with which single statements can conflict',
  options,
  async () => {
    const url = await newEmptyDatabase();
    await using pool = openPool({ url, connections: 1, onError: () => {} });
    const { rows } = await pool.run('select current_database() as name');
    await pool.run(
      `alter database ${rows[0]?.['name']} set default_transaction_isolation = 'serializable'`,
    );
    const warnings: string[] = [];
    await using _ = await openStore(url, { onWarning: (text) => warnings.push(text) });
    assert.match(warnings.join('\n'), /default_transaction_isolation is serializable/);
  },
);

test('rejects the schema of a newer release unless it is compatible', options, async () => {
  const url = await newEmptyDatabase();
  await (await openStore(url))[Symbol.asyncDispose]();
  await using pool = openPool({ url, connections: 1, onError: () => {} });
  await pool.run("insert into migrations values ('9998-more+', '')");
  await (await openStore(url))[Symbol.asyncDispose]();
  await pool.run("insert into migrations values ('9999-other', '')");
  await assert.rejects(openStore(url), NewerSchema);
});

test('fails the health check while the database refuses connections', options, async () => {
  const url = await newEmptyDatabase();
  await using store = await openStore(url, { onError: () => {} });
  await store.check();
  await using pool = openPool({
    url: url.replace(/test_\w+/, 'postgres'),
    connections: 1,
    onError: () => {},
  });
  const name = /test_\w+/.exec(url)?.[0];
  await pool.run(`alter database ${name} allow_connections false`);
  await pool.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  await assert.rejects(async () => store.check(), StorageUnavailable);
  await pool.run(`alter database ${name} allow_connections true`);
  await store.check();
});

test('fails the health check while the database accepts no writes', options, async () => {
  const url = await newEmptyDatabase();
  await using store = await openStore(url, { onError: () => {} });
  await using pool = openPool({ url, connections: 1, onError: () => {} });
  const name = /test_\w+/.exec(url)?.[0];
  await pool.run(`alter database ${name} set default_transaction_read_only = on`);
  // Sessions keep the value with which they started.
  await pool.run(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = '${name}' and pid <> pg_backend_pid()`);
  await assert.rejects(async () => store.check(), StorageUnavailable);
  await pool.run(`alter database ${name} set default_transaction_read_only = off`);
  await store.check();
  await store.db.insertInto('spaces').values(space('writable')).execute();
});

test(
  'every unique key of a space-owned table starts with space_id, except the key of link tokens',
  options,
  async () => {
    const url = await newEmptyDatabase();
    await (await openStore(url))[Symbol.asyncDispose]();
    await using pool = openPool({ url, connections: 1, onError: () => {} });
    const { rows } = await pool.run(`
    select t.relname as "table", i.relname as "index", (
      select a.attname from pg_attribute a where a.attrelid = t.oid and a.attnum = x.indkey[0]
    ) as first
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    join pg_namespace n on n.oid = t.relnamespace
    where x.indisunique and n.nspname = 'public' and exists (
      select 1 from pg_attribute a where a.attrelid = t.oid and a.attname = 'space_id'
    )`);
    assert.ok(rows.length > 10);
    assert.deepEqual(
      rows.filter(({ first }) => first !== 'space_id'),
      // This index also finds a link by its token alone.
      [{ table: 'links', index: 'links_derived_token', first: 'token_hash' }],
    );
  },
);

test(
  'prepared inserts of one atomic write are stored together or not at all',
  options,
  async () => {
    await using store = await openStore(await newEmptyDatabase());
    const insertSpace = prepareWrite((row: { id: string; name: string; created_at: number }) =>
      store.db
        .insertInto('spaces')
        .values({ name: row.name, id: row.id, created_at: row.created_at }),
    );
    const insertOrigin = prepareWrite((row: { id: string; position: number }) =>
      store.db
        .insertInto('space_origins')
        .values({ space_id: row.id, position: row.position, origin: '$1' }),
    );
    const origins = [0, 1].map((position) => insertOrigin({ id: 'a', position }));
    await store.writeAtomically([insertSpace(space('a')), ...origins]);
    const twice = [insertSpace(space('b')), ...origins];
    await assert.rejects(store.writeAtomically(twice), UniqueViolation);
    const spaces = await store.db.selectFrom('spaces').select(['id', 'name']).execute();
    assert.deepEqual(spaces, [{ id: 'a', name: 'a' }]);
    const stored = await store.db
      .selectFrom('space_origins')
      .select(['position', 'origin'])
      .orderBy('position')
      .execute();
    assert.deepEqual(stored, [
      { position: 0, origin: '$1' },
      { position: 1, origin: '$1' },
    ]);
  },
);
