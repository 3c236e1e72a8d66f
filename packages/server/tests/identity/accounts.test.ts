import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@gatehouse/contract';
import { SEED } from '@gatehouse/filter/tests/campaign';
import { mutate } from '../support/mutate.ts';
import { makeSpace, makeUser, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client, bareClient, service } = await serviceOfThisFile({
  env: { GATEHOUSE_RATE_LIMIT_SIGN_IN: '0' },
});
const admin = await signIn(client);
const space = await makeSpace(client, admin);
const members = `/bots/${space.botId}/members`;

const tokenIn = (url: unknown) => String(url).split('=')[1] ?? '';

test('a colleague is invited, joins, forgets the password and gets a new one', async () => {
  const invitation = await client(members, {
    as: admin,
    body: { email: 'Cleo@Example.com', role: 'editor' },
  });
  assert.equal(invitation.status, 201);
  const { url } = invitation.json;
  assert.ok(String(url).startsWith(`${service.url}/console#invitation=`));
  const joined = await client('/auth/redeem', {
    body: { token: tokenIn(url), name: 'Cleo', password: 'a long first password' },
  });
  assert.equal(joined.status, 200, joined.text);
  const cleo = String(joined.json['token']);
  const spaces = (await client('/spaces', { as: cleo })).json['items'] as { id: string }[];
  assert.deepEqual(
    spaces.map(({ id }) => id),
    [space.id],
  );

  const { id } = joined.json['user'] as { id: string };
  const reset = await client(`/users/${id}/reset-link`, { method: 'POST', as: admin });
  const body = { token: tokenIn(reset.json['url']), password: 'a long second password' };
  assert.equal((await client('/auth/redeem', { body })).status, 200);
  assert.equal((await client('/auth/session', { as: cleo })).status, 401);
  assert.ok(await signIn(client, { email: 'cleo@example.com', password: body.password }));
  assert.equal((await client('/auth/redeem', { body })).json['code'], 'auth.link-gone');
});

test('ten failed sign-ins block an account, and its session can still end the others', async () => {
  const dan = await makeUser(client, admin, 'dan');
  const [session, other] = [await signIn(client, dan), await signIn(client, dan)];
  const attempt = (password: string) =>
    client('/auth/sign-in/email', { body: { email: dan.email, password } });
  for (let n = 0; n < 10; n += 1) assert.equal((await attempt('wrong password')).status, 401);
  const blocked = await attempt(dan.password);
  assert.deepEqual([blocked.status, blocked.json['code']], [429, 'access.too-many-failures']);
  assert.ok(Number(blocked.headers.get('retry-after')) <= 60);
  const listed = await client('/auth/sessions', { as: session });
  assert.equal((listed.json['items'] as object[]).length, 2);
  assert.equal((await client('/auth/sessions', { method: 'DELETE', as: session })).status, 204);
  assert.equal((await client('/auth/session', { as: other })).status, 401);
});

const ROUTES = [
  'listLinks',
  'revokeLinks',
  'redeemLink',
  'changePassword',
  'createResetLink',
  'createInvitation',
  'deleteInvitation',
  'listInvitations',
  'listSessions',
  'endSession',
  'listUserSessions',
  'endUserSessions',
  'unlinkUser',
  'signInWithCode',
  'showSecondFactor',
  'startSecondFactor',
  'confirmSecondFactor',
  'disableSecondFactor',
  'removeSecondFactor',
  'listAudit',
  'exportAudit',
  'showUsage',
  'showInstallation',
  'eraseSubject',
  'listSpaceConversations',
  'showSpaceConversation',
  'exportConversations',
  'listQuestions',
  'listMetadataFields',
  'listRejectedEvents',
  'listDeliveries',
  'showDelivery',
  'testSubscription',
  'cancelReplay',
];
const VALUES = [
  null,
  '',
  0,
  -1,
  true,
  [],
  {},
  'x'.repeat(5000),
  '\ud800',
  'a\u0000b',
  'eve@example.com',
  '__proto__',
  '00000000-0000-0000-0000-000000000000',
  '9'.repeat(30),
  '\u{1F600}'.repeat(60),
];

/** Values of query parameters, encoded. The last one is not UTF-8. */
const QUERY_VALUES = [
  '1',
  'true',
  'csv',
  'unanswered',
  '2026-11-01',
  '2026-11-01T00:00:00Z',
  'MQ',
  '%00',
  '%F0',
];

test('no request to the routes of accounts, links, the audit and the conversations of a space causes a 5xx response', async (context) => {
  context.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  const { json } = await client(members, {
    as: admin,
    body: { email: 'eve@example.com', role: 'viewer' },
  });
  const token = tokenIn(json['url']);
  // Wrong passwords in these requests can block the account of the administrator.
  const other = await makeUser(client, admin, 'mallory');
  for (let n = 0; n < 500; n += 1) {
    const id = random.pick(ROUTES);
    const operation = operations.find((one) => one.id === id);
    assert.ok(operation);
    const { method, path } = operation;
    const names = Object.keys((operation.body as { properties?: object })?.properties ?? {});
    const given = names.map((name) => [name, name === 'token' ? token : random.pick(VALUES)]);
    const text = Buffer.from(JSON.stringify(Object.fromEntries(given)));
    const anyText = () =>
      encodeURIComponent(String(random.pick(VALUES)).slice(0, 40).toWellFormed());
    const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
      name === 'spaceId' && random.next() < 0.8 ? space.id : anyText(),
    );
    const parameters = Object.keys((operation.query as { properties?: object })?.properties ?? {})
      .filter(() => random.next() < 0.4)
      .map((name) => `${name}=${random.pick([...QUERY_VALUES, anyText()])}`);
    const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
    const answer = await bareClient(`${filled}${query}`, {
      method,
      as: random.pick([admin, admin, 'x', undefined]),
      ...(method === 'POST'
        ? {
            body: random.next() < 0.5 ? mutate(text, random) : text,
            headers: { 'content-type': 'application/json' },
          }
        : {}),
    });
    assert.ok(answer.status >= 200 && answer.status < 500, `${id} ${answer.status} ${answer.text}`);
  }
  assert.equal((await client('/auth/session', { as: admin })).status, 200);
  assert.ok(await signIn(client, other));
});
