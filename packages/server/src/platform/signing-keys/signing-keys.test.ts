import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import type { Database } from '../../storage/ports/database.ts';
import type { Store } from '../../storage/ports/store.ts';
import { newDatabase } from '../../storage/postgres/database.suite.ts';
import { openStore as openPostgres } from '../../storage/postgres/open-store.suite.ts';
import {
  openStore as openSqlite,
  temporaryDirectory,
} from '../../storage/sqlite/open-store.suite.ts';
import { MAX_AGE_MS, PUBLISHED_BEFORE_MS, VERIFIES_AFTER_MS } from './key-schedule.rules.ts';
import { createSigningKeyRepository } from './signing-key.repository.ts';
import { createSigningKeys } from './signing-keys.service.ts';

const secret = randomBytes(32);
const START = 1_800_000_000_000;
const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

describe('signing keys in SQLite', () => suite(() => openSqlite(directory.path)));
describe('signing keys in PostgreSQL', { skip: postgresIsMissing }, () =>
  suite(async () => openPostgres(await newDatabase())),
);

function suite(openStore: () => Promise<Store>): void {
  let store: Store;
  let db: Database;
  let now = START;

  before(async () => {
    store = await openStore();
    ({ db } = store);
  });
  after(async () => {
    await store[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    now = START;
    await db.deleteFrom('signing_keys').execute();
  });

  const open = (options: { secret?: Buffer; ahead?: number } = {}) =>
    createSigningKeys({
      db,
      secret: options.secret ?? secret,
      clock: () => now + (options.ahead ?? 0),
    });

  const kids = async (keys: ReturnType<typeof open>) => (await keys.all()).map(({ kid }) => kid);

  test('replicas that start concurrently on an empty database agree on one key', async () => {
    const replicas = Array.from({ length: 8 }, () => open());
    const current = await Promise.all(replicas.map((replica) => replica.current()));
    assert.equal(new Set(current.map(({ kid }) => kid)).size, 1);
    const { kid } = await open().current();
    assert.equal(kid, current[0]?.kid);
  });

  test('private keys are encrypted in the database', async () => {
    const { privateKey } = await open().current();
    const rows = JSON.stringify(await db.selectFrom('signing_keys').selectAll().execute());
    const { d = '' } = privateKey.export({ format: 'jwk' });
    assert.ok(d.length > 0 && !rows.includes(d));
    await assert.rejects(open({ secret: randomBytes(32) }).current(), {
      name: 'UnreadableSigningKey',
    });
  });

  test('a new key is published before it signs, and the previous key verifies for one more day', async () => {
    const [one, other] = [open(), open()];
    const first = await one.current();
    await other.current();
    const made = await one.rotate({ atOnce: false });
    assert.equal(made.signsFrom, START + PUBLISHED_BEFORE_MS);
    assert.deepEqual(await kids(one), [made.kid, first.kid]);
    for (const replica of [one, other]) {
      now = START + PUBLISHED_BEFORE_MS - 1;
      assert.deepEqual(await kids(replica), [made.kid, first.kid]);
      assert.equal((await replica.current()).kid, first.kid);
      now = START + PUBLISHED_BEFORE_MS;
      assert.equal((await replica.current()).kid, made.kid);
      now += VERIFIES_AFTER_MS - 1;
      assert.ok(await replica.find(first.kid));
    }
    now += 1;
    for (const replica of [one, other]) {
      assert.equal(await replica.find(first.kid), undefined);
      assert.deepEqual(await kids(replica), [made.kid]);
    }
  });

  test('rotating keys twice returns the same new key if the new key does not sign yet', async () => {
    const keys = open();
    const made = await keys.rotate({ atOnce: false });
    now += 1000;
    assert.equal((await open().rotate({ atOnce: false })).kid, made.kid);
    now = made.signsFrom;
    assert.equal((await keys.rotate({ atOnce: false })).generation, made.generation + 1);
  });

  test('rotating with atOnce replaces all keys, on other replicas within ten seconds', async () => {
    const [one, other] = [open(), open()];
    const first = await other.current();
    const waiting = await one.rotate({ atOnce: false });
    const made = await one.rotate({ atOnce: true });
    assert.deepEqual(await kids(one), [made.kid]);
    now += 1000;
    assert.ok(
      await other.find(made.kid),
      'the other replica reads the keys again if a key id is unknown',
    );
    now += 10_000;
    for (const replica of [one, other]) {
      assert.equal((await replica.current()).kid, made.kid);
      for (const { kid } of [first, waiting]) assert.equal(await replica.find(kid), undefined);
    }
  });

  test('concurrent replicas replace an old key exactly once', async () => {
    const replicas = Array.from({ length: 4 }, () => open());
    const first = await replicas[0]?.current();
    now = START + MAX_AGE_MS;
    const seen = await Promise.all(replicas.map(kids));
    for (const list of seen) {
      assert.deepEqual(list, seen[0]);
      assert.equal(list.length, 2);
    }
    assert.equal((await open().current()).kid, first?.kid);
    now += PUBLISHED_BEFORE_MS;
    assert.equal((await open().current()).kid, seen[0]?.[0]);
  });

  test('concurrent rotations create distinct generations, and the newest key wins', async () => {
    const replicas = Array.from({ length: 4 }, () => open());
    const made = await Promise.all(replicas.map((replica) => replica.rotate({ atOnce: true })));
    assert.equal(new Set(made.map(({ generation }) => generation)).size, 4);
    const newest = made.toSorted((a, b) => b.generation - a.generation)[0];
    assert.deepEqual(await kids(open()), [newest?.kid]);
  });

  test('the only key signs even if a replica with a faster clock created the key', async () => {
    const { kid } = await open({ ahead: 60_000 }).current();
    assert.equal((await open().current()).kid, kid);
  });

  test('lookups of unknown key IDs use the cache', async () => {
    const keys = open();
    await keys.current();
    await db.deleteFrom('signing_keys').execute();
    for (let asked = 0; asked < 100; asked++) assert.equal(await keys.find(`x${asked}`), undefined);
    assert.deepEqual(await db.selectFrom('signing_keys').select('kid').execute(), []);
  });

  test('removeUnreadable removes keys that cannot be decrypted, and the next read creates a key', async () => {
    const first = await open({ secret: randomBytes(32) }).current();
    await assert.rejects(open().current(), { name: 'UnreadableSigningKey' });
    assert.equal(await createSigningKeyRepository(db, secret).removeUnreadable(), 1);
    assert.notEqual((await open().current()).kid, first.kid);
    assert.equal(await createSigningKeyRepository(db, secret).removeUnreadable(), 0);
  });
}
