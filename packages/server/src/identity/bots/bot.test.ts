import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSpaces } from '../spaces.suite.ts';

test('a bot is made with what is given, and changed member by member', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const given = { name: 'Returns', greeting: 'Hi', suggestions: ['a', 'b'], model: 'm' };
  const made = await house.call('POST', `/spaces/${id}/bots`, ada.token, given);
  assert.equal(made.status, 201);
  const { id: botId, ...rest } = made.body;
  assert.deepEqual(rest, { ...given, spaceId: id, systemPrompt: null });
  const change = { greeting: null, systemPrompt: 'Be kind.' };
  const changed = await house.call('PATCH', `/bots/${botId}`, ada.token, change);
  assert.deepEqual(changed.body, { ...made.body, ...change });
  const untouched = await house.call('PATCH', `/bots/${botId}`, ada.token, {});
  assert.deepEqual(untouched.body, changed.body);
});

test('a list shows the bots on which the user has a role, all to administrators and keys', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const bob = await house.person('bob@example.com');
  const root = await house.person(ADMIN_EMAIL);
  const { id, defaultBotId } = await house.newSpace(ada.token);
  const hidden = await house.call('POST', `/spaces/${id}/bots`, ada.token, { name: 'Hidden' });
  await house.give(ada.token, defaultBotId, bob.id, 'viewer');
  const key = await house.newKey(ada.token, id, ['read']);
  const idsOf = async (token: string, query = '') => {
    const { body } = await house.call('GET', `/spaces/${id}/bots${query}`, token);
    return { ids: body.items.map((bot) => Number(bot.id)), next: body.next };
  };
  assert.deepEqual((await idsOf(bob.token)).ids, [defaultBotId]);
  for (const token of [ada.token, root.token, key])
    assert.deepEqual((await idsOf(token)).ids, [defaultBotId, hidden.body.id]);
  const first = await idsOf(ada.token, '?limit=1');
  const second = await idsOf(ada.token, `?limit=1&after=${first.next}`);
  assert.deepEqual(second, { ids: [hidden.body.id], next: null });
  assert.equal((await house.call('GET', `/bots/${hidden.body.id}`, bob.token)).status, 403);
  assert.equal((await house.call('GET', `/bots/${hidden.body.id}`, key)).status, 200);
});

test('each role may do on a bot what is its own, and no more', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id, defaultBotId } = await house.newSpace(ada.token);
  const expected = { viewer: [200, 403, 403, 403], editor: [200, 200, 201, 403] };
  for (const role of ['viewer', 'editor'] as const) {
    const person = await house.person(`${role}@example.com`);
    await house.give(ada.token, defaultBotId, person.id, role);
    const answers = [
      await house.call('GET', `/bots/${defaultBotId}`, person.token),
      await house.call('PATCH', `/bots/${defaultBotId}`, person.token, { greeting: 'Hi' }),
      await house.call('POST', `/spaces/${id}/bots`, person.token, { name: 'x' }),
      await house.call('DELETE', `/bots/${defaultBotId}`, person.token),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.status),
      expected[role],
      role,
    );
  }
});

test('the last bot of a space stays, also when two are deleted at once', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id, defaultBotId } = await house.newSpace(ada.token);
  const alone = await house.call('DELETE', `/bots/${defaultBotId}`, ada.token);
  assert.equal(alone.status, 409);
  assert.equal(alone.body.code, 'spaces.last-bot');
  const second = await house.call('POST', `/spaces/${id}/bots`, ada.token, { name: 'x' });
  const answers = await Promise.all(
    [defaultBotId, second.body.id].map((bot) => house.call('DELETE', `/bots/${bot}`, ada.token)),
  );
  assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [204, 409]);
});
