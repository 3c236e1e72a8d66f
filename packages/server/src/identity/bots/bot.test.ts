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
  assert.deepEqual(rest, { ...given, spaceId: id, systemPrompt: null });
  const change = { greeting: null, systemPrompt: 'Be kind.' };
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
