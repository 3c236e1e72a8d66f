/** Two processes on one PostgreSQL: what is ended through one is refused by the other with the next request. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { type Client, clientOf } from '../support/client.ts';
import { makeEvent } from '../support/events.ts';
import {
  exchangeLink,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/receiver.ts';
import { type Replicas, startReplicas } from '../support/replicas.ts';
import { subscribingIn } from '../support/subscribing.ts';
import { until } from '../support/until.ts';

const ROUNDS = 10;

describe('of two replicas', { skip: postgresIsMissing }, () => {
  let replicas: Replicas;
  let [one, other] = [] as unknown as [Client, Client];
  let session = '';
  let spaceId = '';
  before(async () => {
    replicas = await startReplicas(2, ALLOW_RECEIVERS);
    [one, other] = replicas.services.map(({ url }) => clientOf(url)) as [Client, Client];
    session = await signIn(one);
    spaceId = (await makeSpace(one, session)).id;
  });
  after(() => replicas?.[Symbol.asyncDispose]());

  const status = async (client: Client, as: string, path: string, body?: unknown) =>
    (await client(path, { as, ...(body === undefined ? {} : { body }) })).status;

  test('one refuses a key as soon as the other has revoked it', async () => {
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

  test('one refuses the sessions of a user whom the other has disabled', async () => {
    const user = await makeUser(one, session, 'colleague');
    const theirs = await signIn(other, user);
    assert.equal(await status(other, theirs, '/spaces'), 200);
    assert.equal(await status(one, theirs, '/spaces'), 200);
    const path = `/users/${user.id}`;
    const disabled = await one(path, { method: 'PATCH', as: session, body: { disabled: true } });
    assert.equal(disabled.status, 200, disabled.text);
    assert.equal(await status(other, theirs, '/spaces'), 401);
  });

  test('one refuses a session that was ended at the other', async () => {
    const mine = await signIn(one);
    assert.equal(await status(other, mine, '/spaces'), 200);
    const out = await one('/auth/sign-out', { method: 'POST', as: mine });
    assert.ok(out.status < 300, out.text);
    assert.equal(await status(other, mine, '/spaces'), 401);
  });

  test('one refuses what came from a link that the other has revoked', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = await makeLink(one, session, { spaceId, sub: 'u' });
      const access = await exchangeLink(other, link.token);
      assert.equal(await status(other, access, '/chat/conversations'), 200);
      await one(`/assistant-link/${link.id}`, { method: 'DELETE', as: session });
      assert.equal(await status(other, access, '/chat/conversations'), 410);
    }
  });

  test('one takes the sessions of the other, though none was told the address that they share', async () => {
    const link = await makeLink(one, session, { spaceId, sub: 'u' });
    for (const [client, beside] of [
      [one, other],
      [other, one],
    ] as const) {
      const access = await exchangeLink(client, link.token);
      assert.equal(await status(beside, access, '/chat/conversations'), 200);
    }
  });

  test('either may change a subscription, whichever delivers', async () => {
    await using receiver = await startReceiver();
    const key = await makeKey(one, session, spaceId, ['events:write', 'read']);
    for (const client of [one, other]) {
      const { ask, show, subscribe } = subscribingIn(client, session, spaceId);
      const { id } = await subscribe({ url: `${receiver.url}/first` });
      const event = makeEvent({});
      await client('/events', { as: key, body: { events: [event] } });
      const has = (path: string, of: { id?: unknown }) =>
        receiver.received.some((got) => got.path === path && got.event.id === of.id);
      await until('it is delivered', () => has('/hook/first', event));
      await ask('PATCH', `/${id}`, { url: `${receiver.url}/second` });
      const later = makeEvent({});
      await until('it goes to the other target', async () => {
        await client('/events', { as: key, body: { events: [makeEvent({})] } });
        return receiver.received.some(({ path }) => path === '/hook/second');
      });
      await client('/events', { as: key, body: { events: [later] } });
      await until('the next goes there', () => has('/hook/second', later));
      assert.ok(!has('/hook/first', later));
      await until('nothing is behind', async () => (await show(id)).lag === 0);
      assert.equal((await ask('DELETE', `/${id}`)).status, 204);
    }
  });
});
