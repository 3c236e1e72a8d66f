import { type SqlBool, sql } from 'kysely';
import { keepCreations } from '../../platform/audit/index.ts';
import { type Database, inTransaction } from '../../storage/ports/index.ts';

/** On SQLite, a step blocks other writes. A step takes 10 to 30 ms. */
const LINKS_PER_STEP = 500;
/** A conversation has several messages. */
const CONVERSATIONS_PER_STEP = 200;

/** The links and conversations of a space, or the links of one of its bots and the conversations that belong to these links. */
export interface RemovedContents {
  readonly spaceId: string;
  readonly botId?: number;
  /** Rejects if the caller has lost the right. Runs in the transaction of each step, because all steps together can take seconds. */
  readonly confirm: (trx: Database) => Promise<void>;
}

/**
 * Deletes links and conversations in steps, before their space or bot is deleted. One transaction for hundreds of thousands of them
 * would block other writes for seconds. The audit keeps the creations of the links.
 */
export async function removeLinksAndConversations(
  db: Database,
  contents: RemovedContents,
): Promise<void> {
  // Links first, because without links there are no new conversations.
  while (await removeSomeLinks(db, contents));
  if (contents.botId === undefined) while (await removeSomeConversations(db, contents));
}

/** The order is that of their creation, so that a step changes few pages of the database. */
function linksOfSpace(db: Database, spaceId: string) {
  return db.selectFrom('links').where('space_id', '=', spaceId).select('id').orderBy('id');
}

function linksOfBot(db: Database, spaceId: string, botId: number) {
  const links = db.selectFrom('links').where('space_id', '=', spaceId);
  // With an order, SQLite would read the links of all bots of the space.
  return links.where('bot_id', '=', botId).select('id');
}

/** Returns `false` if no conversations remain. */
async function removeSomeConversations(db: Database, contents: RemovedContents): Promise<boolean> {
  const some = await db
    .selectFrom('conversations')
    .where('space_id', '=', contents.spaceId)
    .select('id')
    .orderBy('id')
    .limit(CONVERSATIONS_PER_STEP)
    .execute();
  if (some.length === 0) return false;
  await deleteConversations(db, contents, some);
  return true;
}

/** Returns `false` if no links remain. */
async function removeSomeLinks(db: Database, contents: RemovedContents): Promise<boolean> {
  const { spaceId, botId } = contents;
  const links = botId === undefined ? linksOfSpace(db, spaceId) : linksOfBot(db, spaceId, botId);
  const some = await links.limit(LINKS_PER_STEP).execute();
  if (some.length === 0) return false;
  const ids = some.map(({ id }) => id);
  while (await removeSomeConversationsOf(db, contents, ids));
  await inTransaction(db, async (trx) => {
    await contents.confirm(trx);
    const removed = sql<SqlBool>`space_id = ${spaceId} and id in (${sql.join(ids)})`;
    await keepCreations(trx, removed);
    await trx.deleteFrom('links').where(removed).execute();
  });
  return true;
}

/** Returns `false` if no conversations of the links remain. */
async function removeSomeConversationsOf(
  db: Database,
  contents: RemovedContents,
  linkIds: readonly string[],
): Promise<boolean> {
  const some = await db
    .selectFrom('links')
    // SQLite reads the tables of a cross join in this order. Otherwise it would read all conversations of the space.
    .crossJoin('conversations')
    .where('links.space_id', '=', contents.spaceId)
    .where('links.id', 'in', linkIds)
    .whereRef('conversations.space_id', '=', 'links.space_id')
    .whereRef('conversations.link_id', '=', 'links.id')
    .select('conversations.id')
    .limit(CONVERSATIONS_PER_STEP)
    .execute();
  if (some.length === 0) return false;
  await deleteConversations(db, contents, some);
  return true;
}

async function deleteConversations(
  db: Database,
  { spaceId, botId, confirm }: RemovedContents,
  conversations: readonly { readonly id: string }[],
): Promise<void> {
  const ids = conversations.map(({ id }) => id);
  await inTransaction(db, async (trx) => {
    await confirm(trx);
    await trx
      .deleteFrom('conversations')
      .where('space_id', '=', spaceId)
      .where('id', 'in', ids)
      .execute();
    // A trigger has queued events about the end of the conversations. Nobody could read those of a deleted space.
    if (botId === undefined)
      await trx.deleteFrom('conversation_outbox').where('space_id', '=', spaceId).execute();
  });
}
