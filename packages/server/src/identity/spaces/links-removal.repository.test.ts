import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { actingFrom, linkCreation, OPERATOR } from '../../platform/audit/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { Database } from '../../storage/ports/index.ts';
import { largeReads, recordQueries } from '../../storage/query-plans.suite.ts';
import { removeLinksAndConversations } from './links-removal.repository.ts';

const LINKS = 600;

async function addBot(db: Database, spaceId: string): Promise<number> {
  const bot = { space_id: spaceId, name: 'Help', suggestions: '[]', created_at: 1 };
  const { id } = await db.insertInto('bots').values(bot).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Adds links of a bot, a conversation of each link, and a conversation of each `sub`. */
async function addContents(db: Database, spaceId: string, botId: number): Promise<void> {
  const creation = actingFrom(OPERATOR, () => linkCreation({ hasPermissionFilter: true }));
  const ids = Array.from({ length: LINKS }, (_, index) => `${spaceId} ${botId} ${index}`);
  const links = ids.map((id) => ({
    ...{ id, space_id: spaceId, bot_id: botId, token_hash: id, token_prefix: id, payload: '{}' },
    ...{ exp: 1, created_at: 1, ...creation },
  }));
  await db.insertInto('links').values(links).execute();
  const conversations = ids.flatMap((id) => [
    { id: `link ${id}`, owner: `link:${id}`, link_id: id },
    { id: `sub ${id}`, owner: `sub:${id}`, link_id: null },
  ]);
  const common = {
    space_id: spaceId,
    chat_id: 'chat',
    title: 'One?',
    created_at: 1,
    updated_at: 1,
  };
  await db
    .insertInto('conversations')
    .values(conversations.map((conversation) => ({ ...conversation, ...common })))
    .execute();
}

async function countsOf(db: Database, spaceId: string) {
  const ofSpace = async (table: 'links' | 'conversations') =>
    (await db.selectFrom(table).where('space_id', '=', spaceId).select('id').execute()).length;
  const kept = db.selectFrom('audit_entries').where('resource_space_id', '=', spaceId);
  const events = db.selectFrom('conversation_outbox').where('space_id', '=', spaceId);
  return {
    links: await ofSpace('links'),
    conversations: await ofSpace('conversations'),
    endEvents: (await events.where('event', '=', 'ended').select('id').execute()).length,
    kept: (await kept.where('action', '=', 'link.created').select('id').execute()).length,
  };
}

test('links and conversations of a bot or a space are removed in steps, and the audit keeps the creations of the links', async () => {
  await using store = await openNewStore();
  const { db } = store;
  for (const spaceId of ['a', 'b']) await addSpace(store, spaceId);
  const first = await addBot(db, 'a');
  const second = await addBot(db, 'a');
  const [space, botId] = ['b', await addBot(db, 'b')];
  for (const id of [first, second]) await addContents(db, 'a', id);
  await addContents(db, space, botId);
  await db.updateTable('spaces').set({ conversation_events: 1 }).execute();
  const confirm = async () => {};
  const ofBot = recordQueries(db);
  await removeLinksAndConversations(ofBot.db, { spaceId: 'a', botId: first, confirm });
  assert.deepEqual(await countsOf(db, 'a'), {
    links: LINKS,
    conversations: 3 * LINKS,
    endEvents: LINKS,
    kept: LINKS,
  });
  const ofSpace = recordQueries(db);
  await removeLinksAndConversations(ofSpace.db, { spaceId: 'a', confirm });
  assert.deepEqual(await countsOf(db, 'a'), {
    links: 0,
    conversations: 0,
    endEvents: 0,
    kept: 2 * LINKS,
  });
  const untouched = { links: LINKS, conversations: 2 * LINKS, endEvents: 0, kept: 0 };
  assert.deepEqual(await countsOf(db, space), untouched);
  for (const { sql, parameters } of [...ofBot.queries, ...ofSpace.queries])
    if (sql.startsWith('delete')) assert.ok(parameters.length <= 501);
  if (ON_POSTGRES) return;
  const readsOf = (recorded: typeof ofBot) =>
    largeReads(db, recorded.queries, ['links', 'messages', 'conversations']);
  assert.deepEqual(await readsOf(ofBot), [], 'the links of other bots are read');
  const reads = new Set(await readsOf(ofSpace));
  assert.equal(reads.size, 2);
  // A limited selection reads its first rows from an index.
  for (const read of reads) assert.match(read, /USING COVERING INDEX .* limit \?/s);
});
