import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInFailed } from '../access/access.errors.ts';
import { ADMIN_EMAIL, type IdentityUnderTest, openIdentity, PASSWORD } from '../identity.suite.ts';
import { createFailureRepository } from './failure.repository.ts';
import { blockMs } from './throttle.rules.ts';

const MINUTE_MS = 60_000;
const UNKNOWN = 'nobody@example.com';

async function fail(identity: IdentityUnderTest, email: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1)
    statuses.push((await identity.signIn(email, 'wrong horse battery')).status);
  return statuses;
}

const every = (count: number, status: number) => Array.from({ length: count }, () => status);

test('after ten failed sign-ins even the correct password is rejected, and sessions continue', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  assert.deepEqual(await fail(identity, ADMIN_EMAIL, 10), every(10, 401));
  const rejected = await identity.signIn(ADMIN_EMAIL);
  assert.equal(rejected.status, 429);
  assert.equal(rejected.body.code, 'access.too-many-failures');
  assert.equal(rejected.headers['retry-after'], '60');
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
  identity.now += MINUTE_MS - 1;
  assert.equal((await identity.signIn(ADMIN_EMAIL)).headers['retry-after'], '1');
  identity.now += 1;
  assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 200);
});

test('an unknown address is treated exactly like a known address', async () => {
  await using identity = await openIdentity();
  const answers = async (email: string) => {
    const all = [];
    for (let n = 0; n < 12; n += 1) {
      const { status, body, headers } = await identity.signIn(email, 'wrong horse battery');
      all.push({ status, body, wait: headers['retry-after'] });
    }
    return all;
  };
  assert.deepEqual(await answers(ADMIN_EMAIL), await answers(UNKNOWN));
  assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 429);
});

test('the delay doubles with each further failure, up to 15 minutes, and ends with a success', async () => {
  await using identity = await openIdentity();
  await fail(identity, ADMIN_EMAIL, 10);
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    const { status, headers } = await identity.signIn(ADMIN_EMAIL);
    assert.deepEqual([status, headers['retry-after']], [429, String(minutes * 60)]);
    identity.now += minutes * MINUTE_MS;
    assert.deepEqual(await fail(identity, ADMIN_EMAIL, 1), [401]);
  }
  identity.now += 15 * MINUTE_MS;
  assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 200);
  assert.deepEqual(await fail(identity, ADMIN_EMAIL, 11), [...every(10, 401), 429]);
});

test('a success resets the failures, and so do 15 minutes without a failure', async () => {
  await using identity = await openIdentity();
  await fail(identity, ADMIN_EMAIL, 9);
  assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 200);
  assert.deepEqual(await fail(identity, ADMIN_EMAIL, 9), every(9, 401));
  identity.now += 15 * MINUTE_MS;
  assert.deepEqual(await fail(identity, ADMIN_EMAIL, 11), [...every(10, 401), 429]);
});

test('failures of an address count in any letter case and do not affect other addresses', async () => {
  await using identity = await openIdentity();
  await fail(identity, UNKNOWN, 5);
  await fail(identity, UNKNOWN.toUpperCase(), 5);
  assert.equal((await identity.signIn(UNKNOWN)).status, 429);
  assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 200);
});

test('concurrent attempts cannot exceed the limit', async () => {
  await using identity = await openIdentity();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => identity.signIn(ADMIN_EMAIL, 'wrong horse battery')),
  );
  assert.equal(answers.filter(({ status }) => status === 401).length, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 20);
});

test('an attempt that fails because of the storage is no failed sign-in', async () => {
  await using identity = await openIdentity();
  const { schema } = identity.db;
  const { token } = await identity.person(ADMIN_EMAIL);
  await fail(identity, ADMIN_EMAIL, 9);
  for (const table of ['accounts', 'sessions', 'audit_entries']) {
    await schema.alterTable(table).renameTo('missing').execute();
    assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 500, table);
    await schema.alterTable('missing').renameTo(table).execute();
  }
  await schema.alterTable('audit_entries').renameTo('missing').execute();
  const change = { currentPassword: PASSWORD, newPassword: 'another horse battery' };
  assert.equal((await identity.call('POST', '/auth/change-password', token, change)).status, 500);
  await schema.alterTable('missing').renameTo('audit_entries').execute();
  const failed = identity.db.selectFrom('audit_entries').where('action', '=', 'session.failed');
  assert.equal((await failed.select('id').execute()).length, 9);
  assert.deepEqual(await fail(identity, ADMIN_EMAIL, 1), [401]);
  assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 429);
});

test('a wrong password counts although its entry in the audit cannot be stored', async () => {
  await using identity = await openIdentity();
  const { schema } = identity.db;
  await schema.alterTable('audit_entries').renameTo('missing').execute();
  assert.deepEqual(await fail(identity, ADMIN_EMAIL, 11), [...every(10, 500), 429]);
});

test('setting the clock back by an hour does not extend a block', async () => {
  await using identity = await openIdentity();
  const { throttle } = identity;
  const attempt = () => throttle.attempt(UNKNOWN, () => Promise.reject(signInFailed()));
  for (let n = 0; n < 10; n += 1)
    await assert.rejects(attempt(), { code: 'access.sign-in-failed' });
  await assert.rejects(attempt(), { code: 'access.too-many-failures' });
  identity.now -= 60 * MINUTE_MS;
  await assert.rejects(attempt(), { code: 'access.sign-in-failed' });
});

test('neither the address nor its plain hash is stored', async () => {
  await using identity = await openIdentity();
  await fail(identity, UNKNOWN, 1);
  const rows = await identity.db.selectFrom('sign_in_failures').selectAll().execute();
  assert.equal(rows.length, 1);
  assert.match(rows[0]?.key ?? '', /^[\w-]{43}$/);
  assert.ok(!JSON.stringify(rows).includes('nobody'));
});

test('the number of stored addresses is bounded, and the most attacked addresses stay', async () => {
  await using identity = await openIdentity();
  const repository = createFailureRepository(identity.db);
  const { now } = identity;
  for (let n = 0; n < 9; n += 1) await repository.count('attacked', now);
  await repository.count('old', now - 15 * MINUTE_MS);
  for (let n = 0; n < 20; n += 1) await repository.count(`sprayed ${n}`, now);
  await repository.prune(now, 5);
  const rows = await identity.db.selectFrom('sign_in_failures').selectAll().execute();
  assert.equal(rows.length, 5);
  assert.equal(rows.find(({ key }) => key === 'attacked')?.failures, 9);
  assert.ok(!rows.some(({ key }) => key === 'old'));
});

test('the first nine failures cause no delay', () => {
  assert.deepEqual(
    [1, 9, 10, 14, 1000].map(blockMs),
    [0, 0, 1, 15, 15].map((m) => m * MINUTE_MS),
  );
});
