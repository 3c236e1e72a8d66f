/** Two replicas on one PostgreSQL database. A credential revoked on one replica is rejected by the other immediately. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import {
  exchangeLink,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { ADMIN } from '../support/services/service.ts';
import { type Replicas, startReplicas } from '../support/storage/replicas.ts';
import { until } from '../support/until.ts';

const ROUNDS = 10;

describe('two replicas', { skip: postgresIsMissing }, () => {
  let replicas: Replicas;
  let [one, other] = [] as unknown as [Client, Client];
  let session = '';
  let spaceId = '';
  before(async () => {
    replicas = await startReplicas(2, {
      ...ALLOW_RECEIVERS,
      GATEHOUSE_RATE_LIMIT_SIGN_IN: '0',
    });
    [one, other] = replicas.services.map(({ url }) => clientOf(url)) as [Client, Client];
    session = await signIn(one);
    spaceId = (await makeSpace(one, session)).id;
  });
  after(() => replicas?.[Symbol.asyncDispose]());

  const status = async (client: Client, as: string, path: string, body?: unknown) =>
    (await client(path, { as, ...(body === undefined ? {} : { body }) })).status;

  test('reject a key immediately after the other replica revokes it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = await makeKey(one, session, spaceId, ['events:write', 'read']);
      const events = { events: [makeEvent({})] };
      assert.equal(await status(other, key, '/events', events), 200);
      const { json } = await one(`/spaces/${spaceId}/api-keys?limit=200`, { as: session });
      const [newest] = (json['items'] as { id: string }[]).toSorted((a, b) =>
        a.id < b.id ? 1 : -1,
      );
      const path = `/spaces/${spaceId}/api-keys/${newest?.id}`;
      const gone = await one(path, { method: 'DELETE', as: session });
      assert.equal(gone.status, 204, gone.text);
      assert.equal(await status(other, key, '/events', events), 401);
      assert.equal(await status(other, key, '/events'), 401);
    }
  });

  test('redeem a one-time link once, even if both get it at the same time', async () => {
    const { botId } = await makeSpace(one, session);
    const user = await makeUser(one, session, 'invited');
    const theirs = await signIn(other, user);
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = { email: user.email, role: 'viewer' };
      const { json } = await one(`/bots/${botId}/members`, { as: session, body });
      const redemption = { as: theirs, body: { token: String(json['url']).split('=')[1] } };
      const answers = await Promise.all(
        [one, other, one, other].map((client) => client('/auth/redeem', redemption)),
      );
      const statuses = answers.map((answer) => answer.status).sort();
      assert.deepEqual(statuses, [200, 410, 410, 410]);
      const winner = answers.find((answer) => answer.status === 200);
      const opened = String(winner?.json['token']);
      assert.equal(await status(other, opened, '/spaces'), 200);
      const ended = await one('/auth/sessions', { method: 'DELETE', as: theirs });
      assert.equal(ended.status, 204);
      assert.equal(await status(other, opened, '/spaces'), 401);
    }
  });

  test('reject the sessions of a user whom the other replica disabled', async () => {
    const user = await makeUser(one, session, 'colleague');
    const theirs = await signIn(other, user);
    assert.equal(await status(other, theirs, '/spaces'), 200);
    assert.equal(await status(one, theirs, '/spaces'), 200);
    const path = `/users/${user.id}`;
    const disabled = await one(path, { method: 'PATCH', as: session, body: { disabled: true } });
    assert.equal(disabled.status, 200, disabled.text);
    assert.equal(await status(other, theirs, '/spaces'), 401);
  });

  test('reject the other sessions of a user who changed the password on the other replica', async () => {
    const user = await makeUser(one, session, 'forgetful');
    const [kept, ended] = [await signIn(one, user), await signIn(other, user)];
    assert.equal(await status(other, ended, '/spaces'), 200);
    const change = { currentPassword: user.password, newPassword: 'another long password' };
    assert.equal(await status(one, kept, '/auth/change-password', change), 204);
    assert.equal(await status(other, ended, '/spaces'), 401);
    assert.equal(await status(other, kept, '/spaces'), 200);
  });

  test('end every session that a sign-in with the old password gets during a password change', async () => {
    const user = await makeUser(one, session, 'hurried');
    const kept = await signIn(one, user);
    const passwords = [user.password, 'another long password'];
    for (let round = 0; round < 4; round += 1) {
      const [currentPassword = '', newPassword = ''] =
        round % 2 ? passwords.toReversed() : passwords;
      const body = { email: user.email, password: currentPassword };
      const [change, ...signIns] = await Promise.all([
        one('/auth/change-password', { as: kept, body: { currentPassword, newPassword } }),
        ...[other, one, other].map((client) => client('/auth/sign-in/email', { body })),
      ]);
      assert.equal(change.status, 204, change.text);
      for (const { status: code, json } of signIns)
        if (code !== 401) assert.equal(await status(one, String(json['token']), '/spaces'), 401);
    }
    assert.equal(await status(other, kept, '/spaces'), 200);
  });

  test('reject a session that was signed out on the other replica', async () => {
    const mine = await signIn(one);
    assert.equal(await status(other, mine, '/spaces'), 200);
    const out = await one('/auth/sign-out', { method: 'POST', as: mine });
    assert.ok(out.status < 300, out.text);
    assert.equal(await status(other, mine, '/spaces'), 401);
  });

  test('reject the cookie of a console session that was signed out on the other replica', async () => {
    const opened = await one('/console/session', {
      headers: { origin: String(replicas.services[0]?.url) },
      body: ADMIN,
    });
    assert.equal(opened.status, 201, opened.text);
    const [cookie = ''] = String(opened.headers.get('set-cookie')).split(';');
    const read = async (client: Client) => {
      const answer = await client('/auth/session', { headers: { cookie } });
      return answer.status;
    };
    assert.deepEqual([await read(one), await read(other)], [200, 200]);
    const headers = { cookie, origin: String(replicas.services[0]?.url) };
    const closed = await one('/console/session', { method: 'DELETE', headers });
    assert.equal(closed.status, 204, closed.text);
    assert.deepEqual([await read(other), await read(one)], [401, 401]);
  });

  test('apply the filter of a space immediately after the other replica changes it', async () => {
    const added = await one(`/spaces/${spaceId}/documents`, {
      as: session,
      body: { fileName: 'board.txt', text: 'The board.', metadata: { audience: 'board' } },
    });
    assert.equal(added.status, 201, added.text);
    const document = `/spaces/${spaceId}/documents/${added.json['id']}`;
    const link = await makeLink(one, session, { spaceId });
    const access = await exchangeLink(other, link.token);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [permissionFilter, expected] of [
        [null, 200],
        [{ audience: { ne: 'board' } }, 404],
      ] as const) {
        const body = { permissionFilter };
        const changed = await one(`/spaces/${spaceId}`, { method: 'PATCH', as: session, body });
        assert.equal(changed.status, 200, changed.text);
        assert.equal(await status(other, access, document), expected);
      }
    await one(`/spaces/${spaceId}`, {
      method: 'PATCH',
      as: session,
      body: { permissionFilter: null },
    });
  });

  test('reject the widget sessions of a link that the other replica revoked', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await makeLink(one, session, { spaceId, sub: 'u' });
      const access = await exchangeLink(other, link.token);
      assert.equal(await status(other, access, '/chat/conversations'), 200);
      await one(`/assistant-link/${link.id}`, { method: 'DELETE', as: session });
      assert.equal(await status(other, access, '/chat/conversations'), 410);
    }
  });

  test('reject the widget sessions of a person whose links the other replica revoked', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const sub = `person ${round}`;
      const sessions = [];
      for (const maker of [one, other]) {
        const { token } = await makeLink(maker, session, { spaceId, sub });
        sessions.push(await exchangeLink(other, token));
      }
      for (const access of sessions)
        assert.equal(await status(other, access, '/chat/conversations'), 200);
      const path = `/assistant-link?spaceId=${spaceId}&sub=${encodeURIComponent(sub)}`;
      const { json } = await one(path, { method: 'DELETE', as: session });
      assert.deepEqual(json, { revoked: 2 });
      for (const access of sessions)
        assert.equal(await status(other, access, '/chat/conversations'), 410);
    }
  });

  test('accept widget sessions of the other replica without a configured base URL', async () => {
    const link = await makeLink(one, session, { spaceId, sub: 'u' });
    for (const [client, beside] of [
      [one, other],
      [other, one],
    ] as const) {
      const access = await exchangeLink(client, link.token);
      assert.equal(await status(beside, access, '/chat/conversations'), 200);
    }
  });

  test('apply subscription changes no matter which replica delivers', async () => {
    await using receiver = await startReceiver();
    const key = await makeKey(one, session, spaceId, ['events:write', 'read']);
    for (const client of [one, other]) {
      const { ask, show, subscribe } = subscribingIn(client, session, spaceId);
      const { id } = await subscribe({ url: `${receiver.url}/first` });
      const event = makeEvent({});
      await client('/events', { as: key, body: { events: [event] } });
      const has = (path: string, of: { id?: unknown }) =>
        receiver.received.some((got) => got.path === path && got.event.id === of.id);
      await until('the event is delivered', () => has('/hook/first', event));
      await ask('PATCH', `/${id}`, { url: `${receiver.url}/second` });
      const later = makeEvent({});
      const probes = new Set<unknown>();
      await until('the replica delivers to the new target', async () => {
        const probe = makeEvent({});
        probes.add(probe.id);
        await client('/events', { as: key, body: { events: [probe] } });
        return receiver.received.some(
          (got) => got.path === '/hook/second' && probes.has(got.event.id),
        );
      });
      await client('/events', { as: key, body: { events: [later] } });
      await until('the next event arrives at the new target', () => has('/hook/second', later));
      assert.ok(!has('/hook/first', later));
      await until('the subscription has no lag', async () => (await show(id)).lag === 0);
      assert.equal((await ask('DELETE', `/${id}`)).status, 204);
    }
  });
});
