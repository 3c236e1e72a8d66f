import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSpaces } from '../spaces.suite.ts';

const NOWHERE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';

test('whoever makes a space owns its first bot, which has its name', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const allowedOrigins = ['https://www.shop.example', 'https://Shop.example'];
  const made = await house.call('POST', '/spaces', ada.token, { name: 'Shop', allowedOrigins });
  assert.equal(made.status, 201);
  const { defaultBotId, ...space } = made.body;
  assert.deepEqual(space.allowedOrigins, ['https://www.shop.example', 'https://shop.example']);
  assert.deepEqual((await house.call('GET', `/spaces/${space.id}`, ada.token)).body, space);
  const bot = (await house.call('GET', `/bots/${defaultBotId}`, ada.token)).body;
  assert.deepEqual(bot, {
    id: defaultBotId,
    spaceId: space.id,
    name: 'Shop',
    systemPrompt: null,
    greeting: null,
    suggestions: [],
    model: null,
  });
  const member = await house.call('GET', `/bots/${defaultBotId}/members/${ada.id}`, ada.token);
  assert.equal(member.body.role, 'owner');
});

test('a bad origin is refused with the other problems of the body', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const body = { allowedOrigins: ['https://shop.example/'], colour: 'red' };
  const answer = await house.call('POST', '/spaces', ada.token, body);
  assert.equal(answer.status, 400);
  assert.equal(answer.body.code, 'spaces.invalid');
  assert.equal(answer.body.issues.length, 3);
});

test('a space and its origins are changed, and absent members stay', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token, {
    name: 'Shop',
    allowedOrigins: ['https://a.example', 'https://b.example'],
  });
  const renamed = await house.call('PATCH', `/spaces/${id}`, ada.token, { name: 'Store' });
  assert.equal(renamed.body.name, 'Store');
  assert.equal((renamed.body.allowedOrigins ?? []).length, 2);
  const allowedOrigins = ['https://b.example', 'https://c.example'];
  const changed = await house.call('PATCH', `/spaces/${id}`, ada.token, { allowedOrigins });
  assert.deepEqual(changed.body.allowedOrigins, allowedOrigins);
  assert.deepEqual(await house.spaces.allowedOrigins(id), allowedOrigins);
  assert.equal(await house.spaces.isAllowedSomewhere('https://c.example'), true);
  assert.equal(await house.spaces.isAllowedSomewhere('https://a.example'), false);
});

test('a list shows the spaces in which the caller has a role, and all to an administrator', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const bob = await house.person('bob@example.com');
  const root = await house.person(ADMIN_EMAIL);
  const own = await house.newSpace(ada.token);
  await new Promise((resolve) => setTimeout(resolve, 2));
  const shared = await house.newSpace(bob.token, { name: 'Bank' });
  await house.newSpace(bob.token, { name: 'Hidden' });
  await house.give(bob.token, shared.defaultBotId, ada.id, 'viewer');
  const idsOf = async (token: string) =>
    (await house.call('GET', '/spaces', token)).body.items.map((space: { id: string }) => space.id);
  assert.deepEqual(await idsOf(ada.token), [own.id, shared.id]);
  assert.equal((await idsOf(root.token)).length, 3);
  assert.deepEqual(await idsOf(await house.newKey(ada.token, own.id, ['read'])), [own.id]);
  const blind = await house.newKey(ada.token, own.id, ['links:write']);
  assert.equal((await house.call('GET', '/spaces', blind)).status, 403);
  const first = await house.call('GET', '/spaces?limit=1', ada.token);
  const second = await house.call('GET', `/spaces?limit=1&after=${first.body.next}`, ada.token);
  assert.deepEqual(second.body.items[0]?.id, shared.id);
  assert.equal(second.body.next, null);
});

test('an API key makes, changes and deletes no space', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const key = await house.newKey(ada.token, id, ['read', 'links:write', 'events:write']);
  for (const answer of [
    await house.call('POST', '/spaces', key, { name: 'x' }),
    await house.call('PATCH', `/spaces/${id}`, key, { name: 'x' }),
    await house.call('DELETE', `/spaces/${id}`, key),
  ]) {
    assert.equal(answer.status, 403);
    assert.equal(answer.body.code, 'access.wrong-credential');
  }
});

test('a space that does not exist and one of others are the same 403', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const bob = await house.person('bob@example.com');
  const { id, defaultBotId } = await house.newSpace(ada.token);
  const own = await house.newSpace(bob.token);
  const key = await house.newKey(bob.token, own.id, ['read']);
  for (const token of [bob.token, key]) {
    const pairs: readonly (readonly ['GET' | 'PATCH' | 'DELETE', string, string])[] = [
      ['GET', `/spaces/${id}`, `/spaces/${NOWHERE}`],
      ['PATCH', `/spaces/${id}`, `/spaces/${NOWHERE}`],
      ['DELETE', `/spaces/${id}`, `/spaces/${NOWHERE}`],
      ['GET', `/spaces/${id}/bots`, `/spaces/${NOWHERE}/bots`],
      ['GET', `/bots/${defaultBotId}`, '/bots/999'],
      ['DELETE', `/bots/${defaultBotId}`, '/bots/-999'],
      ['GET', `/bots/${defaultBotId}/members`, '/bots/999/members'],
    ];
    for (const [method, there, nowhere] of pairs) {
      const body = method === 'PATCH' ? {} : undefined;
      const forbidden = await house.call(method, there, token, body);
      const absent = await house.call(method, nowhere, token, body);
      assert.equal(forbidden.status, 403, there);
      assert.deepEqual(absent.body, forbidden.body, there);
    }
  }
});

test('deleting a space takes the owner of every bot in it, and ends its keys at once', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const bob = await house.person('bob@example.com');
  const { id, defaultBotId } = await house.newSpace(ada.token, {
    name: 'Shop',
    allowedOrigins: ['https://shop.example'],
  });
  await house.give(ada.token, defaultBotId, bob.id, 'editor');
  const second = await house.call('POST', `/spaces/${id}/bots`, bob.token, { name: 'Bob' });
  assert.equal(second.status, 201);
  for (const token of [ada.token, bob.token]) {
    const refused = await house.call('DELETE', `/spaces/${id}`, token);
    assert.equal(refused.status, 403);
    assert.match(String(refused.body.message), /every bot/);
  }
  await house.give(bob.token, Number(second.body.id), ada.id, 'owner');
  const key = await house.newKey(ada.token, id, ['read']);
  assert.equal((await house.call('GET', `/spaces/${id}`, key)).status, 200);
  assert.equal((await house.call('DELETE', `/spaces/${id}`, ada.token)).status, 204);
  assert.equal((await house.call('GET', `/spaces/${id}`, key)).status, 401);
  assert.equal((await house.call('GET', `/spaces/${id}`, ada.token)).status, 403);
  assert.equal((await house.call('DELETE', `/spaces/${id}`, ada.token)).status, 403);
  assert.deepEqual(house.deleted, [id]);
  assert.equal(await house.spaces.isAllowedSomewhere('https://shop.example'), false);
  for (const table of ['bots', 'bot_members', 'api_keys'] as const)
    assert.deepEqual(await house.db.selectFrom(table).selectAll().execute(), [], table);
});

test('an administrator may do everything in a space that exists', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const root = await house.person(ADMIN_EMAIL);
  const { id, defaultBotId } = await house.newSpace(ada.token);
  const calls = [
    await house.call('PATCH', `/spaces/${id}`, root.token, { name: 'x' }),
    await house.call('GET', `/bots/${defaultBotId}/members`, root.token),
    await house.call('PATCH', `/bots/${defaultBotId}`, root.token, { greeting: 'Hi' }),
    await house.call('DELETE', `/spaces/${id}`, root.token),
  ];
  assert.deepEqual(
    calls.map((call) => call.status),
    [200, 200, 200, 204],
  );
  assert.equal((await house.call('GET', `/spaces/${NOWHERE}`, root.token)).status, 403);
});

test('the letter case of a space id does not matter', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const key = await house.newKey(ada.token, id, ['read']);
  for (const token of [ada.token, key])
    assert.equal((await house.call('GET', `/spaces/${id.toUpperCase()}`, token)).body.id, id);
});
