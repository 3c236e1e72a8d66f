import type { HandoffSettings } from '@gatehouse/contract';
import type { JoinBuilder, Selectable } from 'kysely';
import { type BotRow, type Database, prepare, type Tables } from '../../storage/ports/index.ts';
import type { Lifetime } from './link.rules.ts';

export interface WatchedLink extends Lifetime {
  /** JSON text of the space's filter, or null. */
  readonly spaceFilter: string | null;
}

/**
 * A link with its filters. Check its lifetime before you use them: the payload of an erased link, which is also revoked, no longer
 * contains the filters.
 */
export interface FilteredLink extends WatchedLink {
  readonly payload: string;
}

/** The payload, the texts and the settings for an answer, of a link or of a space without a link. */
export interface AssistantOfLink {
  readonly payload: string;
  /** JSON text of the space's filter, or null. */
  readonly spaceFilter: string | null;
  /** JSON text of the space's budget, or null. */
  readonly spaceBudget: string | null;
  /** JSON text, or null. */
  readonly userInformation: string | null;
  readonly bot: AnsweringBot & {
    readonly id: number;
    readonly systemPrompt: string | null;
    readonly model: string | null;
    /** Settings of handoffs to people, or null. */
    readonly handoff: HandoffSettings | null;
    /** Text that says whom to contact, or null. */
    readonly contact: string | null;
  };
}

export interface LinkForChat extends AssistantOfLink, Lifetime {}

export interface AnsweringBot {
  readonly name: string;
  readonly greeting: string | null;
  readonly suggestions: readonly string[];
}

/** Creates the reads of links together with the filter of their space. They are not cached, so a change applies immediately. */
export function createFilteredLinkReads(db: Database) {
  const findWatched = prepare(db, ({ spaceId, id }: { spaceId: string; id: string }) =>
    db
      .selectFrom('links')
      .innerJoin('spaces', 'spaces.id', 'links.space_id')
      .where('links.space_id', '=', spaceId)
      .where('links.id', '=', id)
      .select(['links.exp', 'links.revoked_at', 'spaces.permission_filter']),
  );
  const findFiltered = prepare(db, ({ spaceId, id }: { spaceId: string; id: string }) =>
    db
      .selectFrom('links')
      .innerJoin('spaces', 'spaces.id', 'links.space_id')
      .where('links.space_id', '=', spaceId)
      .where('links.id', '=', id)
      .select(['links.exp', 'links.revoked_at', 'links.payload', 'spaces.permission_filter']),
  );
  const findForChat = prepare(db, ({ spaceId, id }: { spaceId: string; id: string }) =>
    db
      .selectFrom('links')
      .innerJoin('bots', onAnsweringBot)
      .innerJoin('spaces', 'spaces.id', 'links.space_id')
      .where('links.space_id', '=', spaceId)
      .where('links.id', '=', id)
      .select([
        'spaces.permission_filter',
        'spaces.budget',
        'links.exp',
        'links.revoked_at',
        'links.payload',
        'links.user_information',
        ...BOT_COLUMNS,
      ]),
  );

  return {
    /** Returns the lifetime of a link and the current filter of its space. */
    async findWatched(spaceId: string, id: string): Promise<WatchedLink | null> {
      const [row] = await findWatched({ spaceId, id });
      return row === undefined ? null : toWatched(row);
    },

    async findFiltered(spaceId: string, id: string): Promise<FilteredLink | null> {
      const [row] = await findFiltered({ spaceId, id });
      return row === undefined ? null : { ...toWatched(row), payload: row.payload };
    },

    async findForChat(spaceId: string, id: string): Promise<LinkForChat | null> {
      const [row] = await findForChat({ spaceId, id });
      if (row === undefined) return null;
      const { payload, user_information: userInformation, budget: spaceBudget } = row;
      return { ...toWatched(row), payload, userInformation, bot: toBot(row), spaceBudget };
    },

    /** Returns the bot that answers for a link without `botId`, and the filter of the space. */
    async findDefaults(spaceId: string): Promise<Omit<AssistantOfLink, 'payload'> | null> {
      const row = await db
        .selectFrom('bots')
        .innerJoin('spaces', 'spaces.id', 'bots.space_id')
        .where('bots.space_id', '=', spaceId)
        .orderBy('bots.id')
        .limit(1)
        .select(['spaces.permission_filter', 'spaces.budget', ...BOT_COLUMNS])
        .executeTakeFirst();
      if (row === undefined) return null;
      const { permission_filter: spaceFilter, budget: spaceBudget } = row;
      return { bot: toBot(row), userInformation: null, spaceFilter, spaceBudget };
    },

    /** Reports whether new links of a space need a `permissionFilter`. */
    async requiresFilter(spaceId: string): Promise<boolean> {
      const row = await db
        .selectFrom('spaces')
        .where('id', '=', spaceId)
        .select('require_link_filter')
        .executeTakeFirst();
      return row?.require_link_filter === 1;
    },

    async findSpaceFilter(spaceId: string): Promise<string | null> {
      const row = await db
        .selectFrom('spaces')
        .where('id', '=', spaceId)
        .select('permission_filter')
        .executeTakeFirst();
      return row?.permission_filter ?? null;
    },
  };
}

function toWatched(row: {
  readonly exp: number;
  readonly revoked_at: number | null;
  readonly permission_filter: string | null;
}): WatchedLink {
  return { exp: row.exp, revokedAt: row.revoked_at, spaceFilter: row.permission_filter };
}

const BOT_COLUMNS = [
  'bots.id',
  'bots.name',
  'bots.greeting',
  'bots.suggestions',
  'bots.system_prompt',
  'bots.model',
  'bots.handoff',
  'bots.contact',
] as const;

function toBot(row: Omit<Selectable<BotRow>, 'space_id' | 'created_at'>): LinkForChat['bot'] {
  const { id, name, greeting, system_prompt: systemPrompt, model, contact } = row;
  const suggestions = JSON.parse(row.suggestions) as string[];
  const handoff = row.handoff === null ? null : (JSON.parse(row.handoff) as HandoffSettings);
  return { id, name, greeting, suggestions, systemPrompt, model, handoff, contact };
}

/** Joins the answering bot, which is the bot that the link names or the space's first bot. */
export function onAnsweringBot(
  join: JoinBuilder<Tables, 'links' | 'bots'>,
): JoinBuilder<Tables, 'links' | 'bots'> {
  return join.onRef('bots.space_id', '=', 'links.space_id').on((on) =>
    on(
      'bots.id',
      '=',
      on.fn.coalesce(
        'links.bot_id',
        on
          .selectFrom('bots as first')
          .whereRef('first.space_id', '=', 'links.space_id')
          .select(({ fn }) => fn.min('first.id').as('id')),
      ),
    ),
  );
}
