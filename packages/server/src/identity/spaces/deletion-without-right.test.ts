import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSpaces, type SpacesUnderTest } from '../spaces.suite.ts';

/** A deletion needs a step for every 500 links. */
const LINKS = 6000;
const LINKS_PER_INSERT = 500;

async function addLinks(
  { db }: SpacesUnderTest,
  space: { readonly spaceId: string; readonly botId: number },
): Promise<void> {
  const { spaceId, botId } = space;
  for (let n = 0; n < LINKS; n += LINKS_PER_INSERT) {
    const ids = Array.from({ length: LINKS_PER_INSERT }, (_, index) => `${spaceId} ${n + index}`);
    const rows = ids.map((id) => ({
      ...{ id, space_id: spaceId, bot_id: botId, token_hash: id, token_prefix: 'prefix' },
      ...{ payload: '{}', exp: 1, created_at: 1 },
    }));
    await db.insertInto('links').values(rows).execute();
  }
}

async function countLinks({ db }: SpacesUnderTest): Promise<number> {
  const all = db.selectFrom('links').select(({ fn }) => fn.countAll().as('count'));
  return Number((await all.executeTakeFirstOrThrow()).count);
}

for (const target of ['space', 'bot'] as const)
  for (const end of ['loses the role', 'is demoted', 'is disabled'] as const)
    test(`the deletion of a ${target} stops when its caller ${end}`, async () => {
      await using identity = await openSpaces();
      const root = await identity.person(ADMIN_EMAIL);
      const ada = await identity.person('ada@example.com');
      const { id: spaceId, defaultBotId } = await identity.newSpace(root.token);
      const second = { name: 'Second' };
      const bot = await identity.call('POST', `/spaces/${spaceId}/bots`, root.token, second);
      const botId = Number(bot.body.id);
      const changeAda = (members: object) =>
        identity.call('PATCH', `/users/${ada.id}`, root.token, members);
      if (end === 'is demoted') await changeAda({ admin: true });
      else
        for (const one of [defaultBotId, botId])
          await identity.setRole(root.token, one, ada.id, 'owner');
      await addLinks(identity, { spaceId, botId });
      const path = target === 'space' ? `/spaces/${spaceId}` : `/bots/${botId}`;
      const deletion = identity.call('DELETE', path, ada.token);
      while ((await countLinks(identity)) === LINKS) await nextTurn();
      if (end === 'loses the role') await identity.setRole(root.token, botId, ada.id, 'editor');
      else await changeAda(end === 'is demoted' ? { admin: false } : { disabled: true });
      const left = await countLinks(identity);
      assert.equal((await deletion).status, end === 'is disabled' ? 401 : 403);
      assert.ok(left > 0 && left < LINKS, `${left} links`);
      assert.equal((await identity.call('GET', path, root.token)).status, 200);
      const entries = await identity.db.selectFrom('audit_entries').select('action').execute();
      assert.ok(!entries.some(({ action }) => action === `${target}.deleted`));
      assert.equal((await identity.call('DELETE', path, root.token)).status, 204);
    });
