import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ClientResponse } from '../support/http/client.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  singleSignOn as signInAt,
  startProvider,
} from '../support/identity/oidc-provider.ts';
import { makeSpace, makeUser, signIn } from '../support/provision.ts';
import { childServiceOfThisFile } from '../support/services/file-service.ts';
import { freePort } from '../support/services/free-port.ts';
import { logLines } from '../support/services/log-lines.ts';

const port = await freePort();
const provider = await startProvider(`http://127.0.0.1:${port}`);
after(() => provider[Symbol.asyncDispose]());
/** The start of a token's header, `{"alg":`, in base64url. */
const TOKEN_HEADER = /eyJhbGciOi/;
/** The ID of the first bot in a new store. */
const BOT_ID = 1;
const { client, service } = await childServiceOfThisFile({
  port,
  capture: true,
  env: {
    GATEHOUSE_BASE_URL: `http://127.0.0.1:${port}`,
    GATEHOUSE_RATE_LIMIT_SIGN_IN: '0',
    GATEHOUSE_OIDC_ISSUER: provider.issuer,
    GATEHOUSE_OIDC_CLIENT_ID: CLIENT_ID,
    GATEHOUSE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    GATEHOUSE_OIDC_SCOPES: 'openid email profile groups',
    GATEHOUSE_OIDC_ALLOWED_DOMAINS: 'Example.com',
    GATEHOUSE_OIDC_ADMIN_GROUPS: 'admins',
    GATEHOUSE_OIDC_GROUP_ROLES: JSON.stringify({ support: { [BOT_ID]: 'editor' } }),
  },
});
const admin = await signIn(client);
const space = await makeSpace(client, admin);

const person = (name: string, groups: readonly string[] = []) => ({
  email: `${name}@example.com`,
  email_verified: true,
  name,
  groups,
});

const singleSignOn = (sub: string) => signInAt(client, provider, sub);
const tokenOf = ({ json }: ClientResponse) => String(json['token']);

const renameSpace = async (as: string) =>
  (await client(`/spaces/${space.id}`, { method: 'PATCH', as, body: { name: 'Shop' } })).status;

test('a user of the provider signs in, with the roles of their groups', async () => {
  assert.equal(space.botId, BOT_ID);
  provider.users.set('ada', person('ada', ['support']));
  const session = await singleSignOn('ada');
  assert.equal(session.status, 200, session.text);
  assert.equal((session.json['user'] as { email: string }).email, 'ada@example.com');
  assert.equal(await renameSpace(tokenOf(session)), 200);
  assert.equal((await client('/users', { as: tokenOf(session) })).status, 403);

  provider.users.set('ada', person('ada'));
  const later = await singleSignOn('ada');
  for (const one of [session, later]) assert.equal(await renameSpace(tokenOf(one)), 403);
});

test('a user who leaves the group of administrators is no administrator after the next sign-in', async () => {
  provider.users.set('bea', person('bea', ['admins']));
  const session = await singleSignOn('bea');
  assert.equal((await client('/users', { as: tokenOf(session) })).status, 200);
  provider.users.set('bea', person('bea'));
  await singleSignOn('bea');
  assert.equal((await client('/users', { as: tokenOf(session) })).status, 403);
});

test('an account that somebody prepared under the address of another person is useless to them', async () => {
  const prepared = await makeUser(client, admin, 'cleo');
  const session = await signIn(client, prepared);
  provider.users.set('cleo', person('cleo', ['admins']));
  const { status, json } = await singleSignOn('cleo');
  assert.equal(status, 200);
  assert.equal((json['user'] as { id: string }).id, prepared.id);
  assert.equal((await client('/auth/session', { as: session })).status, 401);
  const { email, password } = prepared;
  const old = await client('/auth/sign-in/email', { body: { email, password } });
  assert.equal(old.json['code'], 'access.sign-in-failed');
});

test('a user without a verified address, or with a foreign domain, does not sign in', async () => {
  provider.users.set('dan', { ...person('dan'), email_verified: false });
  assert.equal((await singleSignOn('dan')).json['code'], 'access.sso-email-unverified');
  provider.users.set('dan', { ...person('dan'), email: 'dan@example.com.evil.example' });
  assert.equal((await singleSignOn('dan')).json['code'], 'access.sso-not-allowed');
});

test('a user signs out, also at the provider', async () => {
  provider.users.set('eve', person('eve'));
  const as = tokenOf(await singleSignOn('eve'));
  assert.equal((await client('/auth/sign-out', { method: 'POST', as })).status, 204);
  assert.equal((await client('/auth/session', { as })).status, 401);
  const { headers } = await client('/auth/sso/sign-out');
  const page = await fetch(headers.get('location') ?? '');
  assert.equal(page.status, 200);
  assert.match(await page.text(), /session\/end\/confirm/);
});

test('the log warns of bots that do not exist, and contains no secret', async () => {
  const warning = logLines(service).find(({ msg }) => /GROUP_ROLES/.test(String(msg)));
  assert.deepEqual(warning?.['bots'], [BOT_ID]);
  const { stdout, stderr } = service.output();
  for (const secret of [CLIENT_SECRET, 'code=', '@example.com'])
    assert.ok(!(stdout + stderr).includes(secret), secret);
  assert.doesNotMatch(stdout + stderr, TOKEN_HEADER);
});
