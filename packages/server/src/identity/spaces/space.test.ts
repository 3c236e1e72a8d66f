import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpaceRights } from '@gatehouse/contract';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSpaces } from '../spaces.suite.ts';

const UNKNOWN_ID = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';

test('a new space has a bot with the name of the space, and the caller owns this bot', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const allowedOrigins = ['https://www.shop.example', 'https://Shop.example'];
  const made = await identity.call('POST', '/spaces', ada.token, { name: 'Shop', allowedOrigins });
  assert.equal(made.status, 201);
  const { defaultBotId, ...space } = made.body;
  assert.deepEqual(space.allowedOrigins, ['https://www.shop.example', 'https://shop.example']);
  const { rights, ...shown } = (await identity.call('GET', `/spaces/${space.id}`, ada.token)).body;
  assert.deepEqual(shown, space);
  assert.deepEqual(rights, { role: 'owner', ownsEveryBot: true, readsConversations: true });
  const bot = (await identity.call('GET', `/bots/${defaultBotId}`, ada.token)).body;
  assert.deepEqual(bot, {
    id: defaultBotId,
    spaceId: space.id,
    name: 'Shop',
    systemPrompt: null,
    greeting: null,
    suggestions: [],
    model: null,
    handoff: null,
    contact: null,
  });
  const member = await identity.call('GET', `/bots/${defaultBotId}/members/${ada.id}`, ada.token);
  assert.equal(member.body.role, 'owner');
});

test('an invalid origin is reported together with other problems of the body', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const body = { allowedOrigins: ['https://shop.example/'], colour: 'red' };
  const answer = await identity.call('POST', '/spaces', ada.token, body);
  assert.equal(answer.status, 400);
  assert.equal(answer.body.code, 'spaces.invalid');
  assert.equal(answer.body.issues.length, 3);
});

test('a change of a space affects only the given members', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token, {
    name: 'Shop',
    allowedOrigins: ['https://a.example', 'https://b.example'],
  });
  const renamed = await identity.call('PATCH', `/spaces/${id}`, ada.token, { name: 'Store' });
  assert.equal(renamed.body.name, 'Store');
  assert.equal((renamed.body.allowedOrigins ?? []).length, 2);
  const allowedOrigins = ['https://b.example', 'https://c.example'];
  const changed = await identity.call('PATCH', `/spaces/${id}`, ada.token, { allowedOrigins });
  assert.deepEqual(changed.body.allowedOrigins, allowedOrigins);
  assert.deepEqual(await identity.spaces.allowedOrigins(id), allowedOrigins);
  assert.equal(await identity.spaces.isAllowedSomewhere('https://c.example'), true);
  assert.equal(await identity.spaces.isAllowedSomewhere('https://a.example'), false);
});

test('callers see only spaces in which they have a role, and administrators see all spaces', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  const own = await identity.newSpace(ada.token);
  await new Promise((resolve) => setTimeout(resolve, 2));
  const shared = await identity.newSpace(bob.token, { name: 'Bank' });
  await identity.newSpace(bob.token, { name: 'Hidden' });
  await identity.setRole(bob.token, shared.defaultBotId, ada.id, 'viewer');
  const idsOf = async (token: string) =>
    (await identity.call('GET', '/spaces', token)).body.items.map(
      (space: { id: string }) => space.id,
    );
  assert.deepEqual(await idsOf(ada.token), [own.id, shared.id]);
  assert.equal((await idsOf(root.token)).length, 3);
  assert.deepEqual(await idsOf(await identity.newKey(ada.token, own.id, ['read'])), [own.id]);
  const blind = await identity.newKey(ada.token, own.id, ['links:write']);
  assert.equal((await identity.call('GET', '/spaces', blind)).status, 403);
  const first = await identity.call('GET', '/spaces?limit=1', ada.token);
  const second = await identity.call('GET', `/spaces?limit=1&after=${first.body.next}`, ada.token);
  assert.deepEqual(second.body.items[0]?.id, shared.id);
  assert.equal(second.body.next, null);
});

test('a space shows the rights of its caller', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const rightsOf = async (token: string) =>
    (await identity.call('GET', `/spaces/${id}`, token)).body['rights'] as SpaceRights | null;
  const people = new Map<string, string>();
  for (const role of ['viewer', 'editor', 'owner']) {
    const person = await identity.person(`${role}@example.com`);
    await identity.setRole(ada.token, defaultBotId, person.id, role);
    people.set(role, person.token);
  }
  await identity.call('POST', `/spaces/${id}/bots`, ada.token, { name: 'Second' });
  const bob = await identity.person('bob@example.com');
  await identity.setRole(ada.token, defaultBotId, bob.id, 'owner');
  const expected = [
    [people.get('viewer'), { role: 'viewer', ownsEveryBot: false, readsConversations: false }],
    [people.get('editor'), { role: 'editor', ownsEveryBot: false, readsConversations: false }],
    [people.get('owner'), { role: 'owner', ownsEveryBot: true, readsConversations: true }],
    [bob.token, { role: 'owner', ownsEveryBot: false, readsConversations: false }],
    [root.token, { role: 'owner', ownsEveryBot: true, readsConversations: true }],
    [await identity.newKey(ada.token, id, ['read']), null],
  ] as const;
  for (const [token, rights] of expected) assert.deepEqual(await rightsOf(String(token)), rights);
  const change = async (conversationAccess: string) =>
    identity.call('PATCH', `/spaces/${id}`, ada.token, { conversationAccess });
  await change('editors');
  assert.equal((await rightsOf(String(people.get('editor'))))?.readsConversations, true);
  await change('nobody');
  assert.equal((await rightsOf(root.token))?.readsConversations, false);
});

test('API keys must not create, change or delete a space', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const key = await identity.newKey(ada.token, id, ['read', 'links:write', 'events:write']);
  for (const answer of [
    await identity.call('POST', '/spaces', key, { name: 'x' }),
    await identity.call('PATCH', `/spaces/${id}`, key, { name: 'x' }),
    await identity.call('DELETE', `/spaces/${id}`, key),
  ]) {
    assert.equal(answer.status, 403);
    assert.equal(answer.body.code, 'access.wrong-credential');
  }
});

test('a missing space and a space in which the caller has no role get the same 403', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const own = await identity.newSpace(bob.token);
  const key = await identity.newKey(bob.token, own.id, ['read']);
  for (const token of [bob.token, key]) {
    const pairs: readonly (readonly ['GET' | 'PATCH' | 'DELETE', string, string])[] = [
      ['GET', `/spaces/${id}`, `/spaces/${UNKNOWN_ID}`],
      ['PATCH', `/spaces/${id}`, `/spaces/${UNKNOWN_ID}`],
      ['DELETE', `/spaces/${id}`, `/spaces/${UNKNOWN_ID}`],
      ['GET', `/spaces/${id}/bots`, `/spaces/${UNKNOWN_ID}/bots`],
      ['GET', `/bots/${defaultBotId}`, '/bots/999'],
      ['DELETE', `/bots/${defaultBotId}`, '/bots/-999'],
      ['GET', `/bots/${defaultBotId}/members`, '/bots/999/members'],
    ];
    for (const [method, there, nowhere] of pairs) {
      const body = method === 'PATCH' ? {} : undefined;
      const forbidden = await identity.call(method, there, token, body);
      const absent = await identity.call(method, nowhere, token, body);
      assert.equal(forbidden.status, 403, there);
      assert.deepEqual(absent.body, forbidden.body, there);
    }
  }
});

test('deleting a space requires the role owner on each of its bots and invalidates its API keys immediately', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { id, defaultBotId } = await identity.newSpace(ada.token, {
    name: 'Shop',
    allowedOrigins: ['https://shop.example'],
  });
  const eve = await identity.person('eve@example.com');
  const second = await identity.call('POST', `/spaces/${id}/bots`, ada.token, { name: 'Second' });
  assert.equal(second.status, 201);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'owner');
  await identity.setRole(ada.token, Number(second.body.id), bob.id, 'editor');
  await identity.setRole(ada.token, Number(second.body.id), eve.id, 'owner');
  for (const token of [bob.token, eve.token]) {
    const rejected = await identity.call('DELETE', `/spaces/${id}`, token);
    assert.equal(rejected.status, 403);
    assert.match(String(rejected.body.message), /every bot/);
  }
  const key = await identity.newKey(ada.token, id, ['read']);
  assert.equal((await identity.call('GET', `/spaces/${id}`, key)).status, 200);
  assert.equal((await identity.call('DELETE', `/spaces/${id}`, ada.token)).status, 204);
  assert.equal((await identity.call('GET', `/spaces/${id}`, key)).status, 401);
  assert.equal((await identity.call('GET', `/spaces/${id}`, ada.token)).status, 403);
  assert.equal((await identity.call('DELETE', `/spaces/${id}`, ada.token)).status, 403);
  assert.deepEqual(identity.deleted, [id]);
  assert.equal(await identity.spaces.isAllowedSomewhere('https://shop.example'), false);
  for (const table of ['bots', 'bot_members', 'api_keys'] as const)
    assert.deepEqual(await identity.db.selectFrom(table).selectAll().execute(), [], table);
});

test('an administrator may perform every operation in an existing space', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const calls = [
    await identity.call('PATCH', `/spaces/${id}`, root.token, { name: 'x' }),
    await identity.call('GET', `/bots/${defaultBotId}/members`, root.token),
    await identity.call('PATCH', `/bots/${defaultBotId}`, root.token, { greeting: 'Hi' }),
    await identity.call('DELETE', `/spaces/${id}`, root.token),
  ];
  assert.deepEqual(
    calls.map((call) => call.status),
    [200, 200, 200, 204],
  );
  assert.equal((await identity.call('GET', `/spaces/${UNKNOWN_ID}`, root.token)).status, 403);
});

test('concurrent deletions delete a space or a bot once, and the audit has one entry', async () => {
  await using identity = await openSpaces();
  const root = await identity.person(ADMIN_EMAIL);
  const { id } = await identity.newSpace(root.token);
  const bot = await identity.call('POST', `/spaces/${id}/bots`, root.token, { name: 'Second' });
  const deleteTwice = (path: string) =>
    Promise.all([1, 2].map(() => identity.call('DELETE', path, root.token)));
  const statuses = (calls: readonly { readonly status: number }[]) =>
    calls.map(({ status }) => status).sort();
  const bots = statuses(await deleteTwice(`/bots/${bot.body.id}`));
  assert.ok(bots.join() === '204,204' || bots.join() === '204,403', bots.join());
  assert.deepEqual(statuses(await deleteTwice(`/spaces/${id}`)), [204, 403]);
  assert.deepEqual(identity.deleted, [id]);
  const entries = await identity.db.selectFrom('audit_entries').select('action').execute();
  const deletions = entries.map(({ action }) => action).filter((one) => one.endsWith('.deleted'));
  assert.deepEqual(deletions.sort(), ['bot.deleted', 'space.deleted']);
});

test('the letter case of a space ID is ignored', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const key = await identity.newKey(ada.token, id, ['read']);
  for (const token of [ada.token, key])
    assert.equal((await identity.call('GET', `/spaces/${id.toUpperCase()}`, token)).body.id, id);
});
