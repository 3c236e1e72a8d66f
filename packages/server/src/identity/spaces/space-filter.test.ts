import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSpaces } from '../spaces.suite.ts';

const FILTER = { audience: { in: ['staff', 'all'] }, not: { secret: { eq: true } } };

test('a space has no filter until an owner sets one, and null removes it', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const show = async () => {
    const { rights: _, ...space } = (await identity.call('GET', `/spaces/${id}`, ada.token)).body;
    return space;
  };
  const change = (body: object) => identity.call('PATCH', `/spaces/${id}`, ada.token, body);
  const made = await show();
  assert.deepEqual([made.permissionFilter, made.requireLinkFilter], [null, false]);
  const changed = await change({ permissionFilter: FILTER, requireLinkFilter: true });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, { ...made, permissionFilter: FILTER, requireLinkFilter: true });
  assert.deepEqual((await change({ name: 'Shop' })).body, changed.body);
  assert.deepEqual(await show(), changed.body);
  const cleared = await change({ permissionFilter: null });
  assert.deepEqual(cleared.body, { ...made, requireLinkFilter: true });
  assert.deepEqual((await change({ requireLinkFilter: false })).body, made);
});

test('a new space may have a filter', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const body = { name: 'Shop', permissionFilter: FILTER, requireLinkFilter: true };
  const made = (await identity.call('POST', '/spaces', ada.token, body)).body;
  assert.deepEqual([made.permissionFilter, made.requireLinkFilter], [FILTER, true]);
  const shown = await identity.call('GET', `/spaces/${made.id}`, ada.token);
  assert.deepEqual(shown.body.permissionFilter, FILTER);
});

test('every problem of a space filter is reported with its path, and the filter stays as it was', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token, { name: 'Shop', permissionFilter: FILTER });
  const permissionFilter = { team: 'a', or: [{ level: { gtt: 3 } }] };
  const body = { permissionFilter, requireLinkFilter: null };
  const answer = await identity.call('PATCH', `/spaces/${id}`, ada.token, body);
  assert.equal(answer.status, 400);
  assert.deepEqual(
    answer.body.issues.map(({ message }) => message.split(':')[0]),
    ['requireLinkFilter', 'permissionFilter.team', 'permissionFilter.or[0].level.gtt'],
  );
  for (const value of [[], 'all', 3, { and: {} }]) {
    const wrong = { permissionFilter: value };
    const rejected = await identity.call('PATCH', `/spaces/${id}`, ada.token, wrong);
    assert.equal(rejected.status, 400, JSON.stringify(value));
  }
  const shown = await identity.call('GET', `/spaces/${id}`, ada.token);
  assert.deepEqual(shown.body.permissionFilter, FILTER);
});

test('only an owner of every bot or an administrator may change the filter, even to the same value', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const second = await identity.call('POST', `/spaces/${id}/bots`, ada.token, { name: 'Second' });
  const secondId = Number(second.body.id);
  const change = async (token: string, body: object) =>
    (await identity.call('PATCH', `/spaces/${id}`, token, body)).status;
  const statuses = async (token: string) => [
    await change(token, { permissionFilter: FILTER }),
    await change(token, { permissionFilter: null }),
    await change(token, { requireLinkFilter: false, name: 'Shop' }),
    await change(token, { name: 'Shop' }),
  ];
  await identity.setRole(ada.token, defaultBotId, bob.id, 'editor');
  assert.deepEqual(await statuses(bob.token), [403, 403, 403, 200]);
  await identity.setRole(ada.token, secondId, bob.id, 'owner');
  assert.deepEqual(await statuses(bob.token), [403, 403, 403, 200]);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'owner');
  for (const { token } of [bob, ada, root])
    assert.deepEqual(await statuses(token), [200, 200, 200, 200]);
  const key = await identity.newKey(ada.token, id, ['read', 'links:write', 'knowledge:write']);
  assert.equal(await change(key, { permissionFilter: null }), 403);
});

test('a rejected change of the filter does not reveal whether the space exists', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { id } = await identity.newSpace(ada.token);
  const body = { permissionFilter: FILTER };
  const [existing, missing] = [
    await identity.call('PATCH', `/spaces/${id}`, bob.token, body),
    await identity.call('PATCH', '/spaces/0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40', bob.token, body),
  ];
  assert.equal(existing.status, 403);
  assert.deepEqual(missing.body, existing.body);
});
