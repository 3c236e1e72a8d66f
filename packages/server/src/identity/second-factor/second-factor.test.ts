import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeAt, wrongCodeAt } from '../../../tests/support/identity/authenticator.ts';
import { actingFrom, OPERATOR } from '../../platform/audit/index.ts';
import { ADMIN_EMAIL, openIdentity, PASSWORD } from '../identity.suite.ts';
import { openSecondFactors } from './authenticator.suite.ts';
import { removeSecondFactorOf } from './second-factor.repository.ts';

const ADA = 'ada@example.com';
const WRONG = { password: 'wrong horse battery' };

test('a user without a second factor signs in as before, also while an app is being set up', async () => {
  await using identity = await openSecondFactors();
  const { token } = await identity.person(ADA);
  const state = await identity.call('GET', '/auth/second-factor', token);
  assert.deepEqual(state.body, { enabledAt: null, recoveryCodes: 0 });
  await identity.call('POST', '/auth/second-factor', token, { password: PASSWORD });
  assert.deepEqual((await identity.call('GET', '/auth/second-factor', token)).body, state.body);
  const { status, body } = await identity.signIn(ADA);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['token', 'user']);
});

test('setting up shows the secret once, and a first code enables it and ends the other sessions', async () => {
  await using identity = await openIdentity({ baseUrl: 'https://gate.example' });
  const { token } = await identity.person(ADA);
  const { token: other } = await identity.person(ADA);
  const { status, body } = await identity.call('POST', '/auth/second-factor', token, {
    password: PASSWORD,
  });
  assert.equal(status, 201);
  const secret = String(body['secret']);
  const uri = new URL(String(body['uri']));
  assert.deepEqual([uri.protocol, uri.host], ['otpauth:', 'totp']);
  assert.equal(decodeURIComponent(uri.pathname), `/Gatehouse (gate.example):${ADA}`);
  assert.deepEqual(Object.fromEntries(uri.searchParams), {
    secret,
    issuer: 'Gatehouse (gate.example)',
    digits: '6',
    period: '30',
  });
  const confirm = (code: string) =>
    identity.call('POST', '/auth/second-factor/confirm', token, { code });
  const wrong = await confirm(wrongCodeAt(secret, identity.now));
  assert.deepEqual([wrong.status, wrong.body['code']], [403, 'access.wrong-code']);
  // Apps show a space in the middle.
  const confirmed = await confirm(codeAt(secret, identity.now).replace(/^.../, '$& '));
  assert.equal(confirmed.status, 200);
  const codes = confirmed.body['recoveryCodes'] as string[];
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^([0-9a-z]{4}-){3}[0-9a-z]{4}$/);
  const { body: state } = await identity.call('GET', '/auth/second-factor', token);
  assert.deepEqual(state, { enabledAt: new Date(identity.now).toISOString(), recoveryCodes: 10 });
  assert.equal((await identity.call('GET', '/auth/session', other)).status, 401);
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
  const again = await identity.call('POST', '/auth/second-factor', token, { password: PASSWORD });
  assert.deepEqual([again.status, again.body['code']], [409, 'access.second-factor-exists']);
  assert.equal((await confirm(codeAt(secret, identity.now))).status, 409);
});

test('of two confirmations at the same time, one enables and the other finds it enabled', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADA);
  const start = { password: PASSWORD };
  const { body } = await identity.call('POST', '/auth/second-factor', token, start);
  const code = codeAt(String(body['secret']), identity.now);
  const confirm = () => identity.call('POST', '/auth/second-factor/confirm', token, { code });
  const answers = await Promise.all([confirm(), confirm()]);
  const outcomes = answers.map((answer) => answer.body['code'] ?? answer.status);
  assert.deepEqual(outcomes.toSorted(), [200, 'access.second-factor-exists']);
});

test('no session of a concurrent sign-in without a code survives the enabling', async () => {
  await using identity = await openIdentity();
  for (let round = 0; round < 10; round += 1) {
    const email = `ada-${round}@example.com`;
    const { token } = await identity.person(email);
    const start = { password: PASSWORD };
    const { body } = await identity.call('POST', '/auth/second-factor', token, start);
    const code = codeAt(String(body['secret']), identity.now);
    const [confirmed] = await Promise.all([
      identity.call('POST', '/auth/second-factor/confirm', token, { code }),
      identity.signIn(email),
      identity.signIn(email),
    ]);
    assert.equal(confirmed.status, 200);
    const { items } = (await identity.call('GET', '/auth/sessions', token)).body;
    assert.equal((items as unknown[]).length, 1);
  }
});

test('an unconfirmed secret is replaced by the next one, and expires after 15 minutes', async () => {
  await using identity = await openSecondFactors();
  const { token } = await identity.person(ADA);
  const start = async () =>
    String(
      (await identity.call('POST', '/auth/second-factor', token, { password: PASSWORD })).body[
        'secret'
      ],
    );
  const confirm = (secret: string) =>
    identity.call('POST', '/auth/second-factor/confirm', token, {
      code: codeAt(secret, identity.now),
    });
  assert.equal((await confirm(await start().then(() => 'A'.repeat(32)))).status, 403);
  const [first, second] = [await start(), await start()];
  assert.equal((await confirm(first)).status, 403);
  identity.now += 15 * 60_000;
  const late = await confirm(second);
  assert.deepEqual([late.status, late.body['code']], [409, 'access.second-factor-not-started']);
});

test('the store contains neither the secret nor a recovery code', async () => {
  await using identity = await openSecondFactors();
  const { secret, recoveryCodes } = await identity.enrol(ADA);
  const rows = [
    ...(await identity.db.selectFrom('second_factors').selectAll().execute()),
    ...(await identity.db.selectFrom('recovery_codes').selectAll().execute()),
    ...(await identity.db.selectFrom('audit_entries').selectAll().execute()),
  ];
  const stored = JSON.stringify(rows) + identity.logLines.join('');
  for (const code of recoveryCodes)
    assert.ok(!stored.includes(code) && !stored.includes(code.replaceAll('-', '')));
  // The key of the codes is the text that the Base32 text stands for.
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const bytes = (bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  const key = Buffer.from(bytes).toString();
  assert.match(key, /^[\w-]{24}$/);
  assert.ok(!stored.includes(key) && !stored.includes(secret));
});

test('setting up and disabling need the password, whose failures count as failed sign-ins', async () => {
  await using identity = await openSecondFactors();
  const { token, challenge, code } = await identity.enrol(ADA);
  for (const path of ['/auth/second-factor', '/auth/second-factor/disable']) {
    const body = path.endsWith('disable') ? { ...WRONG, code: code() } : WRONG;
    const answer = await identity.call('POST', path, token, body);
    assert.deepEqual([answer.status, answer.body['code']], [403, 'access.wrong-password']);
  }
  assert.ok(await challenge());
  const disable = (password: string) =>
    identity.call('POST', '/auth/second-factor/disable', token, { password, code: code() });
  for (let n = 0; n < 10; n += 1) await disable(WRONG.password);
  assert.equal((await disable(PASSWORD)).status, 429);
  identity.now += 60_000;
  assert.equal((await disable(PASSWORD)).status, 204);
  assert.equal((await identity.signIn(ADA)).status, 200);
  // Without a second factor, the code does not matter.
  assert.equal((await disable(PASSWORD)).status, 204);
});

test('disabling needs an unused code, whose failures count as wrong codes', async () => {
  await using identity = await openSecondFactors();
  const { token, challenge, code, wrongCode, recoveryCodes } = await identity.enrol(ADA);
  const disable = (given: Record<string, string>) =>
    identity.call('POST', '/auth/second-factor/disable', token, { password: PASSWORD, ...given });
  assert.equal((await disable({})).status, 400);
  const [used = '', unused = ''] = recoveryCodes;
  await identity.complete(await challenge(), used);
  const usedAppCode = code();
  await identity.complete(await challenge(), usedAppCode);
  for (const wrong of [used, usedAppCode, 'aaaa-bbbb-cccc-dddd', wrongCode()]) {
    const { status, body } = await disable({ code: wrong });
    assert.deepEqual([status, body['code']], [403, 'access.wrong-code']);
  }
  for (let n = 0; n < 3; n += 1) await disable({ code: wrongCode() });
  identity.nextCode();
  assert.equal((await disable({ code: code() })).status, 429);
  assert.ok(await challenge());
  assert.equal((await disable({ code: unused })).status, 204);
  assert.equal((await identity.signIn(ADA)).status, 200);
});

test('a code of the app disables the second factor', async () => {
  await using identity = await openSecondFactors();
  const { token, code } = await identity.enrol(ADA);
  const body = { password: PASSWORD, code: code() };
  assert.equal(
    (await identity.call('POST', '/auth/second-factor/disable', token, body)).status,
    204,
  );
  assert.equal((await identity.signIn(ADA)).status, 200);
});

test('an administrator removes the second factor of a user, and nobody else can', async () => {
  await using identity = await openSecondFactors();
  const { id, token, challenge, code } = await identity.enrol(ADA);
  const { token: root } = await identity.person(ADMIN_EMAIL);
  const pending = await challenge();
  const remove = (userId: string, as: string) =>
    identity.call('DELETE', `/users/${userId}/second-factor`, as);
  assert.equal((await remove(id, token)).status, 403);
  assert.equal((await remove('0199f3a2-0000-7000-8000-000000000000', root)).status, 404);
  assert.equal((await remove(id.toUpperCase(), root)).status, 204);
  assert.equal((await identity.complete(pending, code())).body['code'], 'access.challenge-gone');
  assert.equal((await identity.signIn(ADA)).status, 200);
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
  assert.equal((await identity.db.selectFrom('recovery_codes').selectAll().execute()).length, 0);
  assert.equal((await remove(id, root)).status, 204);
  assert.deepEqual(await actionsOf(identity, id), [
    'second-factor.enabled',
    'second-factor.removed',
  ]);
});

test('an operator removes a second factor by address, as the audit records', async () => {
  await using identity = await openSecondFactors();
  await identity.enrol(ADA);
  const remove = (email: string) =>
    actingFrom(OPERATOR, () => removeSecondFactorOf(identity.db, email));
  assert.equal(await remove('nobody@example.com'), 'unknown-user');
  assert.equal(await remove('Ada@Example.com'), 'removed');
  assert.equal(await remove(ADA), 'none');
  const entries = await identity.db
    .selectFrom('audit_entries')
    .select('actor_kind')
    .where('action', '=', 'second-factor.removed')
    .execute();
  assert.deepEqual(
    entries.map((entry) => entry.actor_kind),
    ['operator'],
  );
  assert.equal((await identity.signIn(ADA)).status, 200);
});

test('with password sign-in off, nobody sets up a second factor', async () => {
  await using identity = await openSecondFactors({ passwordSignIn: false });
  const user = await identity.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const link = await identity.oneTimeLinks.issue('sign-in', { id: user.id });
  assert.ok(typeof link === 'object');
  const { body } = await identity.call('POST', '/auth/redeem', null, { token: link.token });
  const started = await identity.call('POST', '/auth/second-factor', body.token, {
    password: PASSWORD,
  });
  assert.equal(started.body['code'], 'access.password-sign-in-off');
});

async function actionsOf(
  identity: Awaited<ReturnType<typeof openSecondFactors>>,
  userId: string,
): Promise<string[]> {
  const rows = await identity.db
    .selectFrom('audit_entries')
    .select('action')
    .where('resource_id', '=', userId)
    .where('action', 'like', 'second-factor.%')
    .orderBy('id')
    .execute();
  return rows.map(({ action }) => action);
}
