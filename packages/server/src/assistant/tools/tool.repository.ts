import { MAX_TOOLS } from '@gatehouse/contract';
import { type BotAccess, hasBot } from '../../identity/index.ts';
import { recordAction } from '../../platform/audit/index.ts';
import {
  type Database,
  inTransaction,
  runWrites,
  type ToolRow,
  type Write,
} from '../../storage/ports/index.ts';

export type ToolWrite = Partial<
  Pick<ToolRow, 'name' | 'title' | 'description' | 'url' | 'input_schema' | 'consent' | 'sealed'>
>;

export type ToolRepository = ReturnType<typeof createToolRepository>;

interface BotKey {
  readonly spaceId: string;
  readonly botId: number;
}

export function createToolRepository(db: Database) {
  const toolsOf = (from: Database, { spaceId, botId }: BotKey) =>
    from
      .selectFrom('tools')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('bot_id', '=', botId)
      .orderBy('id');

  const find = (from: Database, bot: BotKey, id: string): Promise<ToolRow | undefined> =>
    toolsOf(from, bot).where('id', '=', id).executeTakeFirst();

  return {
    /** Returns `no-bot` if the bot was deleted, and `too-many` if it has `MAX_TOOLS` tools. */
    insert: (
      row: ToolRow,
      joined: readonly Write[],
    ): Promise<'inserted' | 'no-bot' | 'too-many' | 'name-taken'> =>
      inTransaction(db, async (trx) => {
        const { space_id: spaceId, bot_id: botId } = row;
        if (!(await hasBot(trx, { spaceId, botId }))) return 'no-bot';
        const others = await toolsOf(trx, { spaceId, botId }).execute();
        if (others.some(({ name }) => name === row.name)) return 'name-taken';
        if (others.length >= MAX_TOOLS) return 'too-many';
        await trx.insertInto('tools').values(row).execute();
        await recordAction(trx, { action: 'tool.created', spaceId, resourceId: row.id });
        await runWrites(trx, joined);
        return 'inserted';
      }),

    list: (bot: BotKey, after: string | null, limit: number): Promise<ToolRow[]> =>
      toolsOf(db, bot)
        .where('id', '>', after ?? '')
        .limit(limit)
        .execute(),

    /** Returns the tools of a bot. `botId` need not be the result of a check, because the caller knows the bot from a link. */
    all: (bot: BotKey): Promise<ToolRow[]> => toolsOf(db, bot).execute(),

    find: (bot: BotKey, id: string): Promise<ToolRow | undefined> => find(db, bot, id),

    /** Changes a tool. Returns the changed tool, or `no-tool` if there is none. */
    change: (
      bot: BotAccess,
      id: string,
      write: ToolWrite,
      now: number,
    ): Promise<ToolRow | 'no-tool' | 'name-taken'> =>
      inTransaction(db, async (trx) => {
        const before = await find(trx, bot, id);
        if (before === undefined) return 'no-tool';
        const changed = Object.keys(write);
        if (changed.length === 0) return before;
        const others = await toolsOf(trx, bot).where('id', '<>', id).execute();
        if (others.some(({ name }) => name === write.name)) return 'name-taken';
        // A waiting call compares this time, so two changes within a millisecond must differ.
        const updated_at = Math.max(now, before.updated_at + 1);
        await trx
          .updateTable('tools')
          .set({ ...write, updated_at })
          .where('space_id', '=', bot.spaceId)
          .where('id', '=', id)
          .execute();
        await recordAction(trx, {
          action: 'tool.changed',
          spaceId: bot.spaceId,
          resourceId: id,
          details: { changed },
        });
        return { ...before, ...write, updated_at };
      }),

    /** Returns `false` if the tool does not exist. */
    remove: (bot: BotAccess, id: string): Promise<boolean> =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('tools')
          .where('space_id', '=', bot.spaceId)
          .where('bot_id', '=', bot.botId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await recordAction(trx, {
          action: 'tool.deleted',
          spaceId: bot.spaceId,
          resourceId: id,
        });
        return true;
      }),
  };
}
