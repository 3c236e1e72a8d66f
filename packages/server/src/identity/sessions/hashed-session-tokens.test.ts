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

test("a new session's token is stored as a hash and returned in plain text", async () => {
  const { create, stored } = await adapters();
  assert.equal((await create('secret')).token, 'secret');
  assert.deepEqual(await stored(), [tokenHash('secret')]);
});

test('a session is found by its token but not by the hash', async () => {
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

test('a query without a token returns only the hash', async () => {
  const { hashed, create } = await adapters();
  await create('secret');
  const where = [{ field: 'userId', value: 'u' }];
  const [session] = await hashed.findMany<Session>({ model: 'session', where });
  assert.equal(session?.token, tokenHash('secret'));
});

test('update, count, consume and delete find a session by its token', async () => {
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

test('tokens are hashed in transactions', async () => {
  const { hashed, stored } = await adapters();
  await hashed.transaction((trx) =>
    trx.create({ model: 'session', data: { token: 'secret', userId: 'u', ...AT } }),
  );
  assert.deepEqual(await stored(), [tokenHash('secret')]);
});

test('comparisons that hashes do not support are rejected', async () => {
  const { hashed } = await adapters();
  const where = [{ field: 'token', operator: 'starts_with' as const, value: 'a' }];
  await assert.rejects(hashed.findMany({ model: 'session', where }), /stored as hashes/);
});
