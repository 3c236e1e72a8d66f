import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAdapter } from 'better-auth/db/adapter';
import { tokenHash } from '../access/credential.rules.ts';
import { hashSessionTokens } from './hashed-session-tokens.ts';

const AT = { createdAt: new Date(0), updatedAt: new Date(0), expiresAt: new Date(0) };

interface Session {
  readonly token: string;
  readonly userId: string;
}

/** better-auth's adapter in memory, as it is and behind ours. */
async function adapters() {
  const plain = await getAdapter({});
  const hashed = hashSessionTokens(plain);
  const create = (token: string) =>
    hashed.create<Record<string, unknown>, Session>({
      model: 'session',
      data: { token, userId: 'u', ...AT },
    });
  const stored = async () =>
    (await plain.findMany<Session>({ model: 'session' })).map(({ token }) => token);
  return { hashed, create, stored };
}

const byToken = (token: string) => ({
  model: 'session',
  where: [{ field: 'token', value: token }],
});

test('a created session is stored by its hash and comes back with its token', async () => {
  const { create, stored } = await adapters();
  assert.equal((await create('secret')).token, 'secret');
  assert.deepEqual(await stored(), [tokenHash('secret')]);
});

test('a session is found by its token, and not by its hash', async () => {
  const { hashed, create } = await adapters();
  await create('secret');
  assert.equal((await hashed.findOne<Session>(byToken('secret')))?.token, 'secret');
  assert.equal(await hashed.findOne(byToken(tokenHash('secret'))), null);
  const many = await hashed.findMany<Session>({
    model: 'session',
    where: [{ field: 'token', operator: 'in', value: ['secret', 'other'] }],
  });
  assert.deepEqual(
    many.map(({ token }) => token),
    ['secret'],
  );
});

test('sessions that were not asked for by their token show only the hash', async () => {
  const { hashed, create } = await adapters();
  await create('secret');
  const where = [{ field: 'userId', value: 'u' }];
  const [session] = await hashed.findMany<Session>({ model: 'session', where });
  assert.equal(session?.token, tokenHash('secret'));
});

test('a session is changed, counted, consumed and deleted by its token', async () => {
  const { hashed, create, stored } = await adapters();
  await create('secret');
  assert.equal(await hashed.count(byToken('secret')), 1);
  const update = { token: 'fresh' };
  const changed = await hashed.update<Session>({ ...byToken('secret'), update });
  assert.equal(changed?.token, 'fresh');
  assert.deepEqual(await stored(), [tokenHash('fresh')]);
  assert.equal((await hashed.consumeOne<Session>(byToken('fresh')))?.token, 'fresh');
  await create('one');
  await hashed.delete(byToken('one'));
  await create('two');
  assert.equal(await hashed.deleteMany(byToken('two')), 1);
  assert.deepEqual(await stored(), []);
});

test('inside a transaction tokens are hashed as well', async () => {
  const { hashed, stored } = await adapters();
  await hashed.transaction((trx) =>
    trx.create({ model: 'session', data: { token: 'secret', userId: 'u', ...AT } }),
  );
  assert.deepEqual(await stored(), [tokenHash('secret')]);
});

test('a comparison that hashes cannot answer is refused', async () => {
  const { hashed } = await adapters();
  const where = [{ field: 'token', operator: 'starts_with' as const, value: 'a' }];
  await assert.rejects(hashed.findMany({ model: 'session', where }), /kept as hashes/);
});
