import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { selectorHashOf } from '../../http/index.ts';
import { NullViolation } from '../../lib/threads/index.ts';
import { NO_CREATION } from '../../platform/audit/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { createLinkRepository } from './link.repository.ts';
import { TokenSource } from './link-token.rules.ts';

const LINK = {
  space_id: 'space',
  token_prefix: 'prefix',
  sub: null,
  payload: '{}',
  user_information: null,
  bot_id: null,
  exp: 1,
  created_at: 0,
  restricted: 0,
  warnings: '[]',
  ...NO_CREATION,
};

/** Opens a store with the space `space`. */
async function openLinks() {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await openNewStore());
  await addSpace(store, 'space');
  const opened = stack.move();
  return {
    store,
    links: createLinkRepository(store.db),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

test('the newest exchange time remains stored if replicas write out of order', async () => {
  await using opened = await openLinks();
  const { store, links } = opened;
  const [spaceId, id] = ['space', 'link'];
  await store.writeAtomically([links.insertion({ ...LINK, id, token_hash: 'hash' })]);
  const seen = [];
  for (const at of [2000, 1000, 3000]) {
    await links.addExchanges([{ spaceId, id, count: 1, at }]);
    const found = await links.find(spaceId, id);
    seen.push([found?.exchanges, found?.last_exchanged_at]);
  }
  assert.deepEqual(seen, [
    [1, 2000],
    [2, 2000],
    [3, 3000],
  ]);
});

test('a link without a filter is not stored in a space that requires one', async () => {
  await using opened = await openLinks();
  const { store, links } = opened;
  await addSpace(store, 'other');
  const id = 'space';
  await store.db
    .updateTable('spaces')
    .set({ require_link_filter: 1 })
    .where('id', '=', id)
    .execute();
  const record = { caller: 'caller', tokenCheck: 'check' };
  for (const [name, keyed] of Object.entries({ plain: null, keyed: record })) {
    const link = { ...LINK, id: name, token_hash: name };
    const insert = (other: object) =>
      store.writeAtomically([links.insertion({ ...link, ...other }, keyed)]);
    await assert.rejects(insert({}), NullViolation);
    await insert({ restricted: 1 });
    await insert({ space_id: 'other', id: `${name} other`, token_hash: `${name} other` });
    assert.ok((await links.find(id, name)) !== null);
  }
});

test('a link that an earlier release created is found by its token', async () => {
  await using opened = await openLinks();
  const { store, links } = opened;
  const token = new TokenSource().newToken('space');
  const values = { ...LINK, id: 'earlier', token_hash: hash('sha256', token), exp: 7 };
  await store.writeAtomically([links.insertion(values)]);
  assert.deepEqual(await links.findLifetimeByToken(token), {
    spaceId: 'space',
    exp: 7,
    revokedAt: null,
  });
  assert.equal(await links.findLifetimeByToken(token.slice(1)), null);
});

test('a link whose token was derived is unknown after its check was erased', async () => {
  await using opened = await openLinks();
  const { store, links } = opened;
  const token = new TokenSource().newToken('space');
  const values = { ...LINK, id: 'derived', token_hash: selectorHashOf(token) };
  await store.writeAtomically([links.insertion(values)]);
  assert.equal(await links.findLifetimeByToken(token), null);
});
