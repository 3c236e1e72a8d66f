import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pg from 'pg';
import { postgresIsMissing } from '../../packages/filter/tests/postgres.ts';
import { newDatabase } from '../../packages/server/src/storage/postgres/database.suite.ts';
import { openStore } from '../../packages/server/src/storage/postgres/open-store.suite.ts';
import { readSharding } from './citus.ts';

const { reference, distributed, colocated, local, fansOut } = readSharding();
let url = '';

before(async () => {
  if (postgresIsMissing !== undefined) return;
  url = await newDatabase();
  await using _ = await openStore(url);
});

async function ask<R extends object>(query: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(query)).rows;
  } finally {
    await client.end();
  }
}

const options = { skip: postgresIsMissing ?? false };

test(
  'every table is distributed, a reference table, or local to the coordinator',
  options,
  async () => {
    const tables = await ask<{ name: string }>(
      "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
    );
    const classified = [...reference, ...distributed.keys(), ...local];
    assert.deepEqual(classified.toSorted(), tables.map(({ name }) => name).toSorted());
  },
);

test(
  'the distributed tables are `spaces` and all tables with a `space_id` column',
  options,
  async () => {
    const columns = await ask<{ table: string }>(
      "select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'space_id'",
    );
    const withSpace = columns.map(({ table }) => table);
    for (const [table, column] of distributed)
      assert.ok(table === 'spaces' ? column === 'id' : column === 'space_id', table);
    assert.deepEqual(
      [...distributed.keys()].filter((table) => table !== 'spaces').toSorted(),
      withSpace.toSorted(),
    );
  },
);

test(
  'a table is colocated with `spaces` if and only if its space ID has the same type',
  options,
  async () => {
    const columns = await ask<{ table: string; column: string; type: string }>(
      "select table_name as table, column_name as column, data_type as type from information_schema.columns where table_schema = 'public'",
    );
    const typeOf = (table: string) =>
      columns.find((one) => one.table === table && one.column === distributed.get(table))?.type;
    const beside = [...distributed.keys()].filter(
      (table) => table !== 'spaces' && typeOf(table) === typeOf('spaces'),
    );
    assert.deepEqual(colocated.toSorted(), beside.toSorted());
  },
);

interface Index {
  readonly table: string;
  readonly index: string;
  readonly unique: boolean;
  /** Names of the indexed columns. `null` for an indexed expression. */
  readonly columns: (string | null)[];
}

function indexes(): Promise<Index[]> {
  return ask<Index>(`
    select t.relname as table, i.relname as index, x.indisunique as unique,
      array(select a.attname::text from unnest(x.indkey::int[]) with ordinality as k (n, at)
        left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.n order by k.at) as columns
    from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where t.relnamespace = 'public'::regnamespace`);
}

test(
  'every unique key of a distributed table contains the distribution column',
  options,
  async () => {
    for (const { table, index, unique, columns } of await indexes()) {
      const column = distributed.get(table);
      if (unique && column !== undefined) assert.ok(columns.includes(column), index);
    }
  },
);

test(
  'the comment "fans out" in citus.sql lists exactly the indexes for lookups that do not filter by space',
  options,
  async () => {
    const found = (await indexes()).filter(({ table, columns }) => {
      const column = distributed.get(table);
      return column !== undefined && columns[0] !== column;
    });
    const withoutSpace = found.map(({ index }) => index);
    assert.deepEqual(withoutSpace.toSorted(), fansOut.toSorted());
  },
);

interface Reference {
  readonly from: string;
  readonly to: string;
  readonly columns: string[];
}

test(
  'a foreign key of a distributed table references a reference table, or rows of the same space in a table that is distributed earlier',
  options,
  async () => {
    const keys = await ask<Reference>(`
    select f.relname as from, t.relname as to,
      array(select attname::text from pg_attribute where attrelid = f.oid and attnum = any (c.conkey)) as columns
    from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and f.relnamespace = 'public'::regnamespace`);
    const order = [...distributed.keys()];
    assert.ok(keys.length > 10);
    for (const { from, to, columns } of keys) {
      if (!distributed.has(from)) {
        assert.ok(!distributed.has(to), `${from} references ${to}, which is distributed`);
      } else if (!reference.includes(to)) {
        assert.ok(columns.includes(distributed.get(from) ?? ''), `${from} references ${to}`);
        assert.ok(
          order.indexOf(to) < order.indexOf(from),
          `${to} must be distributed before ${from}`,
        );
      }
    }
  },
);

test('identity columns of distributed tables are bigint, as Citus requires', options, async () => {
  const columns = await ask<{ table: string; type: string }>(
    "select table_name as table, data_type as type from information_schema.columns where table_schema = 'public' and is_identity = 'YES'",
  );
  for (const { table, type } of columns)
    if (distributed.has(table)) assert.equal(type, 'bigint', table);
});
