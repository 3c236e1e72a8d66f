import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSpaces } from '../spaces.suite.ts';

test('a new bot has the given members, and a change affects only the given members', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const given = { name: 'Returns', greeting: 'Hi', suggestions: ['a', 'b'], model: 'm' };
  const made = await identity.call('POST', `/spaces/${id}/bots`, ada.token, given);
  assert.equal(made.status, 201);
  const { id: botId, ...rest } = made.body;
  const defaults = { systemPrompt: null, handoff: null, contact: null };
  assert.deepEqual(rest, { ...given, ...defaults, spaceId: id });
  const handoff = { awayMessage: 'Back soon.' };
  const change = { greeting: null, systemPrompt: 'Be kind.', handoff, contact: 'Write to us.' };
  const changed = await identity.call('PATCH', `/bots/${botId}`, ada.token, change);
  assert.deepEqual(changed.body, { ...made.body, ...change });
  const untouched = await identity.call('PATCH', `/bots/${botId}`, ada.token, {});
  assert.deepEqual(untouched.body, changed.body);
});

test('users see only bots on which they have a role, and administrators and API keys see all bots', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const hidden = await identity.call('POST', `/spaces/${id}/bots`, ada.token, { name: 'Hidden' });
  await identity.setRole(ada.token, defaultBotId, bob.id, 'viewer');
  const key = await identity.newKey(ada.token, id, ['read']);
  const idsOf = async (token: string, query = '') => {
    const { body } = await identity.call('GET', `/spaces/${id}/bots${query}`, token);
    return { ids: body.items.map((bot) => Number(bot.id)), next: body.next };
  };
  assert.deepEqual((await idsOf(bob.token)).ids, [defaultBotId]);
  for (const token of [ada.token, root.token, key])
    assert.deepEqual((await idsOf(token)).ids, [defaultBotId, hidden.body.id]);
  const first = await idsOf(ada.token, '?limit=1');
  const second = await idsOf(ada.token, `?limit=1&after=${first.next}`);
  assert.deepEqual(second, { ids: [hidden.body.id], next: null });
  const rolesOf = async (token: string) =>
    (await identity.call('GET', `/spaces/${id}/bots`, token)).body.items.map((bot) => bot['role']);
  assert.deepEqual(await rolesOf(bob.token), ['viewer']);
  assert.deepEqual(await rolesOf(ada.token), ['owner', 'owner']);
  assert.deepEqual(await rolesOf(root.token), ['owner', 'owner']);
  assert.deepEqual(await rolesOf(key), [null, null]);
  assert.equal((await identity.call('GET', `/bots/${hidden.body.id}`, bob.token)).status, 403);
  assert.equal((await identity.call('GET', `/bots/${hidden.body.id}`, key)).status, 200);
});

test('each role permits only its own operations on a bot', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const expected = { viewer: [200, 403, 403, 403], editor: [200, 200, 201, 403] };
  for (const role of ['viewer', 'editor'] as const) {
    const person = await identity.person(`${role}@example.com`);
    await identity.setRole(ada.token, defaultBotId, person.id, role);
    const answers = [
      await identity.call('GET', `/bots/${defaultBotId}`, person.token),
      await identity.call('PATCH', `/bots/${defaultBotId}`, person.token, { greeting: 'Hi' }),
      await identity.call('POST', `/spaces/${id}/bots`, person.token, { name: 'x' }),
      await identity.call('DELETE', `/bots/${defaultBotId}`, person.token),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.status),
      expected[role],
      role,
    );
  }
});

test('a new bot gets the owners of the space, and its creator the highest role on other bots', async () => {
  await using identity = await openSpaces();
  const [ada, bob, eve, tom, root] = await Promise.all([
    identity.person('ada@example.com'),
    identity.person('bob@example.com'),
    identity.person('eve@example.com'),
    identity.person('tom@example.com'),
    identity.person(ADMIN_EMAIL),
  ]);
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const create = async (token: string) => {
    const made = await identity.call('POST', `/spaces/${id}/bots`, token, { name: 'New' });
    assert.equal(made.status, 201);
    const { body } = await identity.call('GET', `/bots/${made.body.id}/members`, root.token);
    const roles = body.items.map(({ userId, role }) => [userId, role]);
    return { botId: Number(made.body.id), roles: Object.fromEntries(roles) };
  };
  await identity.setRole(ada.token, defaultBotId, bob.id, 'owner');
  await identity.setRole(ada.token, defaultBotId, eve.id, 'editor');
  await identity.setRole(ada.token, defaultBotId, tom.id, 'viewer');
  const owners = { [ada.id]: 'owner', [bob.id]: 'owner' };
  const byOwner = await create(ada.token);
  assert.deepEqual(byOwner.roles, owners);
  const byEditor = await create(eve.token);
  assert.deepEqual(byEditor.roles, { ...owners, [eve.id]: 'editor' });
  const claimed = { role: 'owner' };
  const claim = `/bots/${byEditor.botId}/members/${eve.id}`;
  assert.equal((await identity.call('PUT', claim, eve.token, claimed)).status, 403);
  assert.deepEqual((await create(root.token)).roles, owners);

  // Bob no longer owns every bot, so he is not an owner of the space. Eve owns one bot, which is her highest role.
  await identity.setRole(ada.token, byOwner.botId, bob.id, 'viewer');
  await identity.setRole(ada.token, byOwner.botId, eve.id, 'owner');
  const byNeighbour = await create(eve.token);
  assert.deepEqual(byNeighbour.roles, { [ada.id]: 'owner', [eve.id]: 'owner' });
});

test('if nobody owns every bot of a space, the owners of its first bot own a new bot', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  const { id } = await identity.newSpace(ada.token);
  const create = async () =>
    (await identity.call('POST', `/spaces/${id}/bots`, root.token, { name: 'New' })).body.id;
  const second = Number(await create());
  await identity.setRole(root.token, second, bob.id, 'owner');
  await identity.setRole(root.token, second, ada.id, 'viewer');
  const { body } = await identity.call('GET', `/bots/${await create()}/members`, root.token);
  assert.deepEqual(
    body.items.map(({ userId, role }) => [userId, role]),
    [[ada.id, 'owner']],
  );
});

test('the last bot of a space cannot be deleted, even by concurrent requests', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  const alone = await identity.call('DELETE', `/bots/${defaultBotId}`, ada.token);
  assert.equal(alone.status, 409);
  assert.equal(alone.body.code, 'spaces.last-bot');
  const second = await identity.call('POST', `/spaces/${id}/bots`, ada.token, { name: 'x' });
  const answers = await Promise.all(
    [defaultBotId, second.body.id].map((bot) => identity.call('DELETE', `/bots/${bot}`, ada.token)),
  );
  assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [204, 409]);
});

test('a deletion that is rejected because of a concurrent one deletes no links', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id: spaceId, defaultBotId } = await identity.newSpace(ada.token);
  const second = await identity.call('POST', `/spaces/${spaceId}/bots`, ada.token, { name: 'x' });
  const bots = [defaultBotId, Number(second.body.id)];
  const rows = bots.map((botId) => ({
    ...{ id: `link-of-${botId}`, space_id: spaceId, bot_id: botId, token_hash: `hash-${botId}` },
    ...{ token_prefix: 'prefix', payload: '{}', exp: 1e300, created_at: 1 },
  }));
  await identity.db.insertInto('links').values(rows).execute();
  await Promise.all(bots.map((bot) => identity.call('DELETE', `/bots/${bot}`, ada.token)));
  const links = await identity.db.selectFrom('links').select('bot_id').execute();
  const left = await identity.db.selectFrom('bots').select('id as bot_id').execute();
  assert.deepEqual(links, left);
});
