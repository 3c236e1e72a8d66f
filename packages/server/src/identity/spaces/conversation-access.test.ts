import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSpaces } from '../spaces.suite.ts';

test('owners may read conversations by default, and an owner changes the access', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const shown = async () => {
    const { rights: _, ...space } = (await identity.call('GET', `/spaces/${id}`, ada.token)).body;
    return space;
  };
  const made = await shown();
  assert.equal(made.conversationAccess, 'owners');
  for (const conversationAccess of ['editors', 'nobody', 'owners']) {
    const body = { conversationAccess };
    const changed = await identity.call('PATCH', `/spaces/${id}`, ada.token, body);
    assert.deepEqual(changed.body, { ...made, conversationAccess });
    assert.deepEqual(await shown(), changed.body);
  }
  for (const conversationAccess of ['viewers', '', null, true]) {
    const body = { conversationAccess };
    const rejected = await identity.call('PATCH', `/spaces/${id}`, ada.token, body);
    assert.equal(rejected.status, 400, String(conversationAccess));
  }
  const body = { name: 'Closed', conversationAccess: 'nobody' };
  const closed = await identity.call('POST', '/spaces', ada.token, body);
  assert.equal(closed.body.conversationAccess, 'nobody');
});
