import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSpaces } from '../spaces.suite.ts';

const UNKNOWN_ID = '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5';

test('an owner can assign, change and remove roles with immediate effect', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { defaultBotId } = await identity.newSpace(ada.token);
  const bot = `/bots/${defaultBotId}`;
  const put = await identity.call('PUT', `${bot}/members/${bob.id}`, ada.token, { role: 'viewer' });
  assert.deepEqual(put.body, {
    userId: bob.id,
    email: 'bob@example.com',
    name: 'bob@example.com',
    role: 'viewer',
  });
  assert.equal((await identity.call('GET', bot, bob.token)).status, 200);
  assert.equal((await identity.call('GET', `${bot}/members`, bob.token)).status, 403);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'editor');
  const listed = await identity.call('GET', `${bot}/members`, bob.token);
  assert.equal(listed.body.items.length, 2);
  assert.equal((await identity.call('DELETE', `${bot}/members/${bob.id}`, ada.token)).status, 204);
  assert.equal((await identity.call('GET', bot, bob.token)).status, 403);
  assert.equal((await identity.call('GET', `${bot}/members/${bob.id}`, ada.token)).status, 404);
  assert.equal((await identity.call('DELETE', `${bot}/members/${bob.id}`, ada.token)).status, 204);
});

test('members are listed in pages', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { defaultBotId } = await identity.newSpace(ada.token);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'viewer');
  const url = `/bots/${defaultBotId}/members?limit=1`;
  const first = (await identity.call('GET', url, ada.token)).body;
  const second = (await identity.call('GET', `${url}&after=${first.next}`, ada.token)).body;
  const ids = [...first.items, ...second.items].map((member) => member.userId);
  assert.deepEqual(ids, [ada.id, bob.id].toSorted());
  assert.equal(second.next, null);
});

test('a search finds members of the bot, and nobody else', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  await identity.person('bobby@example.com');
  const { defaultBotId } = await identity.newSpace(ada.token);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'viewer');
  const found = async (search: string) => {
    const url = `/bots/${defaultBotId}/members?limit=1&search=${encodeURIComponent(search)}`;
    const { items, next } = (await identity.call('GET', url, ada.token)).body;
    return { ids: items.map(({ userId }) => userId), hasNext: next !== null };
  };
  assert.deepEqual(await found('BOB'), { ids: [bob.id], hasNext: false });
  assert.deepEqual(await found('example'), { ids: [ada.id], hasNext: true });
  assert.deepEqual(await found('ö'), { ids: [], hasNext: false });
});

test('only an owner can manage members', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { defaultBotId } = await identity.newSpace(ada.token);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'editor');
  assert.equal(await identity.setRole(bob.token, defaultBotId, bob.id, 'owner'), 403);
  const url = `/bots/${defaultBotId}/members/${ada.id}`;
  assert.equal((await identity.call('DELETE', url, bob.token)).status, 403);
});

test('an unknown user gets 404', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { defaultBotId } = await identity.newSpace(ada.token);
  const url = `/bots/${defaultBotId}/members/${UNKNOWN_ID}`;
  const answer = await identity.call('PUT', url, ada.token, { role: 'viewer' });
  assert.equal(answer.status, 404);
  assert.equal(answer.body.code, 'spaces.user-not-found');
});

test('the last owner cannot be removed or demoted, even by concurrent requests', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { defaultBotId } = await identity.newSpace(ada.token);
  const url = (userId: string) => `/bots/${defaultBotId}/members/${userId}`;
  const alone = await identity.call('DELETE', url(ada.id), ada.token);
  assert.equal(alone.status, 409);
  assert.equal(alone.body.code, 'spaces.last-owner');
  assert.equal(await identity.setRole(ada.token, defaultBotId, ada.id, 'editor'), 409);
  assert.equal(await identity.setRole(ada.token, defaultBotId, ada.id, 'owner'), 200);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'owner');
  const answers = await Promise.all([
    identity.call('DELETE', url(ada.id), ada.token),
    identity.call('PUT', url(bob.id), bob.token, { role: 'viewer' }),
  ]);
  const left = await identity.db
    .selectFrom('bot_members')
    .select('user_id')
    .where('role', '=', 'owner')
    .execute();
  assert.equal(left.length, 1);
  assert.ok(answers.some((answer) => answer.status === 409));
});
