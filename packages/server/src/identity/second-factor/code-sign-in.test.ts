import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdentity } from '../create-identity.ts';
import { ADMIN_EMAIL, PASSWORD } from '../identity.suite.ts';
import {
  type Enrolled,
  openSecondFactors,
  type SecondFactorsUnderTest,
} from './authenticator.suite.ts';
import { codeBlockMs } from './code-throttle.rules.ts';

const ADA = 'ada@example.com';
const MINUTE_MS = 60_000;
const NEW_PASSWORD = 'another horse battery';

const outcome = ({ status, body }: Awaited<ReturnType<SecondFactorsUnderTest['complete']>>) => [
  status,
  body['code'],
];
const GONE = [401, 'access.challenge-gone'];
const WRONG = [401, 'access.wrong-code'];

async function openWithAda() {
  const identity = await openSecondFactors();
  return Object.assign(identity, { ada: await identity.enrol(ADA) });
}

/** Sends wrong codes until the codes of the user are blocked. */
async function block(identity: SecondFactorsUnderTest, user: Enrolled): Promise<void> {
  const challenge = await user.challenge();
  for (let n = 0; n < 5; n += 1)
    assert.deepEqual(outcome(await identity.complete(challenge, user.wrongCode())), WRONG);
}

test('the password opens no session, and the challenge with a code opens one', async () => {
  await using identity = await openWithAda();
  const before = await identity.db.selectFrom('sessions').select('id').execute();
  const challenge = await identity.ada.challenge();
  assert.deepEqual(await identity.db.selectFrom('sessions').select('id').execute(), before);
  const { status, body } = await identity.complete(challenge, identity.ada.code());
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['token', 'user']);
  const session = await identity.call('GET', '/auth/session', body.token);
  assert.deepEqual(session.body.user, body.user);
});

test('a challenge is no credential and is not stored, and no earlier token becomes the session', async () => {
  await using identity = await openWithAda();
  const challenge = await identity.ada.challenge();
  assert.equal((await identity.call('GET', '/auth/session', challenge)).status, 401);
  const { body } = await identity.complete(challenge, identity.ada.code());
  assert.notEqual(body.token, challenge);
  assert.equal((await identity.call('GET', '/auth/session', challenge)).status, 401);
  const rows = await identity.db.selectFrom('sign_in_challenges').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(await identity.ada.challenge()));
});

test('a session that a client proposes is not used', async () => {
  await using identity = await openWithAda();
  const proposed = 'a'.repeat(64);
  const challenge = await identity.ada.challenge();
  const code = identity.ada.code();
  const { body } = await identity.call('POST', '/auth/sign-in/code', proposed, { challenge, code });
  assert.notEqual(body.token, proposed);
  assert.equal((await identity.call('GET', '/auth/session', proposed)).status, 401);
});

test('a challenge works once, also for concurrent requests', async () => {
  await using identity = await openWithAda();
  const challenge = await identity.ada.challenge();
  const code = identity.ada.code();
  const answers = await Promise.all([1, 2, 3].map(() => identity.complete(challenge, code)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  identity.nextCode();
  assert.deepEqual(outcome(await identity.complete(challenge, identity.ada.code())), GONE);
});

test('a challenge expires after five minutes', async () => {
  await using identity = await openWithAda();
  const challenge = await identity.ada.challenge();
  identity.now += 5 * MINUTE_MS;
  assert.deepEqual(outcome(await identity.complete(challenge, identity.ada.code())), GONE);
  await identity.ada.challenge();
  const rows = await identity.db.selectFrom('sign_in_challenges').select('token_hash').execute();
  assert.equal(rows.length, 1);
});

test('a code is accepted once, also for another challenge, and codes of earlier steps are not', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  const earlier = ada.code();
  identity.nextCode();
  const code = ada.code();
  assert.equal((await identity.complete(await ada.challenge(), code)).status, 200);
  for (const used of [code, earlier])
    assert.deepEqual(outcome(await identity.complete(await ada.challenge(), used)), WRONG);
  identity.nextCode();
  assert.equal((await identity.complete(await ada.challenge(), ada.code())).status, 200);
});

test('the code that confirmed the app does not sign in', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  identity.now -= 30_000;
  assert.deepEqual(outcome(await identity.complete(await ada.challenge(), ada.code())), WRONG);
});

test('a challenge accepts only the codes of its own account', async () => {
  await using identity = await openWithAda();
  const eve = await identity.enrol('eve@example.com');
  const challenge = await identity.ada.challenge();
  assert.notEqual(eve.code(), identity.ada.code());
  for (const code of [eve.code(), eve.recoveryCodes[0] ?? ''])
    assert.deepEqual(outcome(await identity.complete(challenge, code)), WRONG);
  assert.equal((await identity.complete(await eve.challenge(), eve.code())).status, 200);
  assert.equal((await identity.complete(challenge, identity.ada.code())).status, 200);
});

test('an unknown challenge gets the same error as an expired one, and counts no attempt', async () => {
  await using identity = await openWithAda();
  for (const challenge of ['x', 'A'.repeat(43), '__proto__'])
    assert.deepEqual(outcome(await identity.complete(challenge, '123456')), GONE);
  const { failures } = await identity.db
    .selectFrom('second_factors')
    .select('failures')
    .executeTakeFirstOrThrow();
  assert.equal(failures, 0);
});

test('after five wrong codes even the correct code is rejected, for doubling times up to 24 hours', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  await block(identity, ada);
  let waited = 0;
  for (const minutes of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440]) {
    const blocked = await identity.complete(await ada.challenge(), ada.code());
    assert.deepEqual(outcome(blocked), [429, 'access.too-many-failures']);
    assert.equal(blocked.headers['retry-after'], String(minutes * 60));
    identity.now += minutes * MINUTE_MS;
    waited += minutes;
    assert.deepEqual(
      outcome(await identity.complete(await ada.challenge(), ada.wrongCode())),
      WRONG,
    );
  }
  assert.ok(waited > 48 * 60);
  identity.now += 1440 * MINUTE_MS;
  assert.equal((await identity.complete(await ada.challenge(), ada.code())).status, 200);
  await block(identity, ada);
});

test('a year of uninterrupted guessing permits fewer than 400 codes', () => {
  let [guesses, elapsed] = [0, 0];
  for (; elapsed < 365 * 24 * 60 * MINUTE_MS; guesses += 1) elapsed += codeBlockMs(guesses + 1);
  assert.ok(guesses < 400, String(guesses));
});

test('concurrent guesses on several replicas cannot exceed the limit', async () => {
  await using identity = await openWithAda();
  const replica = createIdentity({
    db: identity.db,
    clock: () => identity.now,
    isAlone: false,
    secret: Buffer.alloc(32, 7),
    log: { warn: () => {}, error: () => {} },
    singleSignOn: null,
    passwordSignIn: true,
    baseUrl: () => 'http://localhost',
    verifyWidgetSession: async () => false,
  });
  const challenge = await identity.ada.challenge();
  const guess = identity.ada.wrongCode();
  const client = { address: '192.0.2.7', userAgent: null };
  const codes = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0
        ? identity.complete(challenge, guess).then(({ body }) => body['code'])
        : replica.codeSignIns.signIn(challenge, guess, client).catch(({ code }) => code),
    ),
  );
  assert.equal(codes.filter((code) => code === 'access.wrong-code').length, 5);
  assert.equal(codes.filter((code) => code === 'access.too-many-failures').length, 7);
});

test('the guesses of an attacker do not block recovery codes, which work once', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  await block(identity, ada);
  const [recovery = ''] = ada.recoveryCodes;
  assert.equal((await identity.complete(await ada.challenge(), recovery)).status, 200);
  assert.deepEqual(outcome(await identity.complete(await ada.challenge(), recovery)), WRONG);
  const state = await identity.call('GET', '/auth/second-factor', ada.token);
  assert.equal(state.body['recoveryCodes'], 9);
  assert.equal((await identity.complete(await ada.challenge(), ada.code())).status, 200);
});

test('a recovery code works once for concurrent requests, in any case and without hyphens', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  const typed = (ada.recoveryCodes[1] ?? '').toUpperCase().replaceAll('-', ' ');
  const challenges = [await ada.challenge(), await ada.challenge()];
  const answers = await Promise.all(challenges.map((one) => identity.complete(one, typed)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401]);
});

test('challenges do not survive a change of the password, and the second factor does', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  const pending = await ada.challenge();
  await identity.call('POST', '/auth/change-password', ada.token, {
    currentPassword: PASSWORD,
    newPassword: NEW_PASSWORD,
  });
  assert.deepEqual(outcome(await identity.complete(pending, ada.code())), GONE);
  const next = await identity.signIn(ADA, NEW_PASSWORD);
  assert.equal(next.body['code'], 'access.code-required');
});

test('a disabled user cannot complete a sign-in, also after being enabled again', async () => {
  await using identity = await openWithAda();
  const { token } = await identity.person(ADMIN_EMAIL);
  const pending = await identity.ada.challenge();
  for (const disabled of [true, false]) {
    await identity.call('PATCH', `/users/${identity.ada.id}`, token, { disabled });
    assert.deepEqual(outcome(await identity.complete(pending, identity.ada.code())), GONE);
  }
});

test('a reset link changes the password, but signs in only with a code', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  const { token: root } = await identity.person(ADMIN_EMAIL);
  const { body } = await identity.call('POST', `/users/${ada.id}/reset-link`, root);
  const redeem = () =>
    identity.call('POST', '/auth/redeem', null, {
      token: String(body['url']).split('=')[1],
      password: NEW_PASSWORD,
    });
  const redeemed = await redeem();
  assert.deepEqual(outcome(redeemed), [401, 'access.code-required']);
  assert.equal((await redeem()).status, 410);
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 401);
  assert.equal((await identity.signIn(ADA)).body['code'], 'access.sign-in-failed');
  const completed = await identity.complete(String(redeemed.body['challenge']), ada.code());
  assert.equal(completed.status, 200);
  assert.equal((await identity.signIn(ADA, NEW_PASSWORD)).body['code'], 'access.code-required');
});

test('a sign-in link signs in only with a code', async () => {
  await using identity = await openWithAda();
  const link = await identity.oneTimeLinks.issue('sign-in', { email: ADA });
  assert.ok(typeof link === 'object');
  const redeemed = await identity.call('POST', '/auth/redeem', null, { token: link.token });
  assert.deepEqual(outcome(redeemed), [401, 'access.code-required']);
  const challenge = String(redeemed.body['challenge']);
  assert.equal((await identity.complete(challenge, identity.ada.code())).status, 200);
});

test('a sign-in that runs while the second factor is enabled leaves no session without a code', async () => {
  await using identity = await openSecondFactors();
  const { id } = await identity.person(ADA);
  const [signedIn] = await Promise.all([identity.signIn(ADA), identity.enrol(ADA)]);
  const sessions = await identity.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', id)
    .execute();
  // The session that enabled the second factor.
  assert.equal(sessions.length, 1);
  if (signedIn.status === 200)
    assert.equal((await identity.call('GET', '/auth/session', signedIn.body.token)).status, 401);
});

test('the console signs in with a challenge and a code, and the cookie is the session', async () => {
  const baseUrl = 'https://gate.example';
  await using identity = await openSecondFactors({ baseUrl });
  const ada = await identity.enrol(ADA);
  const post = async (body: object) => {
    const answer = await identity.app.inject({
      method: 'POST',
      url: '/console/session',
      headers: { origin: baseUrl },
      payload: body,
    });
    return { status: answer.statusCode, json: answer.json(), cookie: answer.headers['set-cookie'] };
  };
  const first = await post({ email: ADA, password: PASSWORD });
  assert.deepEqual([first.status, first.json.code], [401, 'access.code-required']);
  assert.equal(first.cookie, undefined);
  const { challenge } = first.json;
  assert.equal((await post({ challenge, code: ada.wrongCode() })).status, 401);
  assert.equal((await post({ challenge })).status, 400);
  assert.equal((await post({ challenge, code: ada.code(), token: 'x' })).status, 400);
  const second = await post({ challenge, code: ada.code() });
  assert.equal(second.status, 201);
  assert.match(String(second.cookie), /^__Host-gatehouse=[0-9a-f]{64}; /);
  assert.deepEqual(Object.keys(second.json).sort(), ['expiresAt', 'user']);
});

test('codes are limited per client address', async () => {
  await using identity = await openSecondFactors({ signInsPerMinute: 3 });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await identity.complete('x', '123456')).status);
  assert.deepEqual(statuses, [401, 401, 401, 429]);
});

test('correct passwords, wrong codes and used recovery codes are in the audit, without the codes', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  await identity.complete(await ada.challenge(), ada.wrongCode());
  await identity.complete(await ada.challenge(), ada.recoveryCodes[0] ?? '');
  const rows = await identity.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('resource_id', '=', ada.id)
    .orderBy('id')
    .execute();
  const counts = Map.groupBy(rows, ({ action }) => action);
  const countOf = (action: string) => counts.get(action)?.length ?? 0;
  const actions = ['session.challenged', 'session.failed', 'recovery-code.used'];
  assert.deepEqual(actions.map(countOf), [2, 1, 1]);
  assert.ok(!JSON.stringify(rows).includes(ada.recoveryCodes[0] ?? ''));
});

test('if the secret of the installation is lost, recovery codes still sign in', async () => {
  await using identity = await openWithAda();
  const { ada } = identity;
  await identity.db.updateTable('second_factors').set({ secret: 's1.unreadable' }).execute();
  assert.deepEqual(outcome(await identity.complete(await ada.challenge(), ada.code())), WRONG);
  const [recovery = ''] = ada.recoveryCodes;
  assert.equal((await identity.complete(await ada.challenge(), recovery)).status, 200);
});
