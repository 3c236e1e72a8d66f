import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { type EventBatch, identityOf } from '../../storage/ports/event-store.ts';
import type { Store } from '../../storage/ports/store.ts';
import { newEmptyDatabase } from '../../storage/postgres/database.suite.ts';
import { openStore as openPostgres } from '../../storage/postgres/open-store.suite.ts';
import { openPool } from '../../storage/postgres/pool.ts';
import {
  openStore as openSqlite,
  temporaryDirectory,
} from '../../storage/sqlite/open-store.suite.ts';
import { copyFrom, openEnd } from './copy.suite.ts';
import { TABLES } from './tables.ts';

const options = { skip: postgresIsMissing };

const NOT_COPIED = {
  sqlite: [
    'migrations',
    'installation',
    'document_remains',
    'document_changes',
    // Sign-ins in progress.
    'sso_states',
    'sso_codes',
    'sign_in_challenges',
    // Computed from the passages.
    'term_vectors',
    'identity_blocks',
    'identity_segments',
    'sqlite_sequence',
    // Forgotten within half an hour.
    'sign_in_failures',
  ],
  postgres: [
    'migrations',
    'installation',
    'document_remains',
    'document_changes',
    // Sign-ins in progress.
    'sso_states',
    'sso_codes',
    'sign_in_challenges',
    // Computed from the passages.
    'term_vectors',
    'event_identities',
    'event_identities_moved',
    'leases',
    'sign_in_failures',
    // State of running replicas, and event counts of the last hour.
    'event_counts',
    'event_listeners',
    'semaphores',
    'rate_counts',
    'replicas',
  ],
};

function batchOf(spaceId: string, ids: readonly string[], data = 'x'): EventBatch {
  const texts = ids.map((id) => Buffer.from(JSON.stringify({ id, source: 'urn:s', data })));
  const ends = new Uint32Array(texts.length);
  for (const [index, text] of texts.entries())
    ends[index] = (ends[index - 1] ?? 0) + text.byteLength;
  return {
    spaceId,
    receivedAt: 1_800_000_000_000,
    identities: ids.map((id) => identityOf(spaceId, 'urn:s', id)).join(''),
    ends,
    texts: Uint8Array.from(Buffer.concat(texts)),
  };
}

const ids = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

async function feedOf(store: Store, spaceId: string): Promise<string[]> {
  const texts: string[] = [];
  for (let after = 0; ; ) {
    const page = await store.events.read({ spaceId, after, limit: 100 });
    texts.push(...page.events.map(({ position, text }) => `${position} ${text}`));
    if (!page.more) return texts;
    after = page.through;
  }
}

test('every table of both engines is copied or listed as excluded', options, async () => {
  using directory = temporaryDirectory();
  await (await openEnd(directory.path, true))[Symbol.asyncDispose]();
  const copied = TABLES.map(({ name }) => name);
  const db = new DatabaseSync(join(directory.path, 'gatehouse.db'), { readOnly: true });
  const embedded = db
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'passages\\_%' escape '\\'`,
    )
    .all()
    .map(({ name }) => String(name));
  db.close();
  assert.deepEqual(embedded.toSorted(), [...copied, ...NOT_COPIED.sqlite].toSorted());

  const url = await newEmptyDatabase();
  await (await openEnd(url, true))[Symbol.asyncDispose]();
  await using pool = openPool({ url, connections: 1, onError: () => {} });
  const { rows } = await pool.read(
    "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
  );
  const others = rows.map(({ name }) => String(name)).filter((name) => !copied.includes(name));
  assert.deepEqual(
    others.filter((name) => !name.startsWith('shared_')).toSorted(),
    NOT_COPIED.postgres.toSorted(),
  );
});

test(
  'a copy to PostgreSQL and back preserves event positions, bytes and deduplication',
  options,
  async () => {
    using directory = temporaryDirectory();
    using back = temporaryDirectory();
    const url = await newEmptyDatabase();
    const [kept, gone, other] = [randomUUID(), randomUUID(), randomUUID()];
    const known: [string, string[]][] = [
      [kept, ids('removed', 30)],
      [kept, ids('kept', 40)],
      [gone, ids('gone', 20)],
      [other, ids('other', 5)],
    ];
    let feed: string[] = [];
    {
      await using store = await openSqlite(directory.path);
      for (const id of [kept, gone, other]) await addSpace(store, id);
      for (const [spaceId, some] of known) await store.events.append([batchOf(spaceId, some)]);
      await store.events.append([batchOf(kept, [...ids('kept', 3), 'late'], 'y'.repeat(2000))]);
      assert.equal(await store.events.removeUpTo(kept, 30), 30);
      await store.db.deleteFrom('spaces').where('id', '=', gone).execute();
      feed = await feedOf(store, kept);
      assert.equal(feed.length, 41);
    }
    await copyFrom(directory.path, url);

    const late = ['new', ...ids('kept', 2), 'newer'];
    {
      await using store = await openPostgres(url);
      assert.deepEqual(await feedOf(store, kept), feed);
      for (const [spaceId, some] of known)
        assert.equal((await store.events.append([batchOf(spaceId, some)])).stored, 0);
      // PostgreSQL also stores the bytes of duplicate events in a batch.
      assert.equal((await store.events.append([batchOf(kept, late, 'z'.repeat(3000))])).stored, 2);
      known.push([kept, late]);
      feed = await feedOf(store, kept);
      assert.equal(feed.length, 43);
    }
    await copyFrom(url, back.path);
    await using store = await openSqlite(back.path);
    assert.deepEqual(await feedOf(store, kept), feed);
    for (const [spaceId, some] of known)
      assert.equal((await store.events.append([batchOf(spaceId, some)])).stored, 0);
    assert.equal((await store.events.append([batchOf(kept, ['again'])])).stored, 1);
  },
);

test('a copy to PostgreSQL and back preserves erased events', options, async () => {
  using directory = temporaryDirectory();
  using back = temporaryDirectory();
  const url = await newEmptyDatabase();
  const spaceId = randomUUID();
  /** Returns a batch of events whose subject is their ID. */
  const batch = (...some: string[]): EventBatch => {
    const texts = some.map((id) => JSON.stringify({ id, source: 'urn:s', subject: id }));
    let end = 0;
    return {
      ...batchOf(spaceId, some),
      ends: Uint32Array.from(texts, (text) => (end += text.length)),
      texts: new TextEncoder().encode(texts.join('')),
    };
  };
  const erase = async (store: Store, subject: string) =>
    (await store.events.eraseSubject(spaceId, subject, 0)).erased;
  {
    await using store = await openSqlite(directory.path);
    await addSpace(store, spaceId);
    await store.events.append([batch('a', 'b', 'c')]);
    assert.equal(await erase(store, 'a'), 1);
  }
  await copyFrom(directory.path, url);
  let feed: string[] = [];
  {
    await using store = await openPostgres(url);
    assert.deepEqual(
      (await feedOf(store, spaceId)).map((one) => one.slice(0, 1)),
      ['2', '3'],
    );
    // On PostgreSQL, a batch also contains the texts of duplicates.
    assert.deepEqual(await store.events.append([batch('a', 'b', 'd', 'e')]), { stored: 2 });
    assert.equal(await erase(store, 'b'), 1);
    assert.equal(await erase(store, 'd'), 1);
    feed = await feedOf(store, spaceId);
    assert.deepEqual(
      feed.map((one) => one.slice(0, 1)),
      ['3', '5'],
    );
  }
  await copyFrom(url, back.path);
  await using store = await openSqlite(back.path);
  assert.deepEqual(await feedOf(store, spaceId), feed);
  assert.deepEqual(await store.events.append([batch('a', 'b', 'c', 'd', 'e')]), { stored: 0 });
});

test('rejects a copy to a target with other data or a finished copy', options, async () => {
  using directory = temporaryDirectory();
  using another = temporaryDirectory();
  const url = await newEmptyDatabase();
  for (const { path } of [directory, another]) {
    await using store = await openSqlite(path);
    await addSpace(store, 's');
  }
  await copyFrom(directory.path, url);
  await assert.rejects(copyFrom(directory.path, url), /already contains this copy/);
  await assert.rejects(copyFrom(another.path, url), /contains a copy of another installation/);
  await assert.rejects(copyFrom(url, another.path), /already contains data/);
});

test('rejects a copy if a running service uses its source or target', options, async () => {
  using directory = temporaryDirectory();
  using empty = temporaryDirectory();
  const url = await newEmptyDatabase();
  await using store = await openSqlite(directory.path);
  await addSpace(store, 's');
  await assert.rejects(copyFrom(directory.path, url), { name: 'DirectoryInUse' });
  await store[Symbol.asyncDispose]();
  await using replica = await openPostgres(url);
  const role = replica.leases.job('test', async () => ({ onHint: () => {}, stop: async () => {} }));
  await role.start();
  await assert.rejects(copyFrom(directory.path, url), /a Gatehouse is running on the database/);
  await assert.rejects(copyFrom(url, empty.path), /a Gatehouse is running on the database/);
  await role[Symbol.asyncDispose]();
});

test('a copy fails if the source changed during the copy', options, async () => {
  using directory = temporaryDirectory();
  const url = await newEmptyDatabase();
  {
    await using store = await openSqlite(directory.path);
    await addSpace(store, 's');
  }
  let at = 0;
  const interrupt = () => {
    at += 1;
    if (at === 2) throw new Error('killed');
  };
  await assert.rejects(copyFrom(directory.path, url, interrupt), /killed/);
  {
    await using store = await openSqlite(directory.path);
    await store.db.updateTable('spaces').set({ name: 'other' }).execute();
  }
  await assert.rejects(copyFrom(directory.path, url), {
    name: 'CopyDiffers',
    message: /spaces \(1 and 1 rows\)/,
  });
});
