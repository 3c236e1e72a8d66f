import { type JoinBuilder, type Selectable, sql } from 'kysely';
import {
  type Database,
  type LinkRow,
  prepare,
  retryConflicts,
  type Tables,
} from '../../storage/ports/index.ts';
import type { Lifetime } from './link.rules.ts';

type Row = Selectable<LinkRow>;

export type NewLink = Omit<Row, 'revoked_at' | 'exchanges' | 'last_exchanged_at'>;

/** A link as lists show it. */
export type ListedLink = Omit<Row, 'token_hash' | 'payload' | 'user_information' | 'bot_id'>;

export type ShownLink = ListedLink & Pick<Row, 'payload' | 'user_information'>;

/** What the chat behind a link needs to know of it and of the bot that answers. */
export interface LinkForChat {
  /** The JWT payload, JSON. */
  readonly payload: string;
  /** JSON, or null when none was given. */
  readonly userInformation: string | null;
  readonly bot: {
    readonly name: string;
    readonly systemPrompt: string | null;
    readonly model: string | null;
  };
}

/** How the bot that answers behind a link presents itself. */
export interface AnsweringBot {
  readonly name: string;
  readonly greeting: string | null;
  readonly suggestions: readonly string[];
}

/** What an exchange needs to know, with the bot that answers. */
export interface ExchangedLink extends Lifetime {
  readonly id: string;
  readonly spaceId: string;
  readonly sub: string | null;
  /** The JWT payload, JSON. */
  readonly payload: string;
  readonly bot: AnsweringBot;
}

/** How often a link was exchanged since that was last written. */
export interface CountedExchanges {
  readonly spaceId: string;
  readonly id: string;
  readonly count: number;
  /** Of the last one, Unix milliseconds. */
  readonly at: number;
}

export type LinkRepository = ReturnType<typeof createLinkRepository>;

const LISTED = [
  'id',
  'space_id',
  'token_prefix',
  'sub',
  'exp',
  'created_at',
  'revoked_at',
  'exchanges',
  'last_exchanged_at',
] as const;

/** Access links in the database. Times are Unix milliseconds, `exp` Unix seconds. */
export function createLinkRepository(db: Database) {
  const insert = prepare(db, (link: { [C in keyof NewLink]: NewLink[C] }) =>
    db.insertInto('links').values({
      id: link.id,
      space_id: link.space_id,
      token_hash: link.token_hash,
      token_prefix: link.token_prefix,
      sub: link.sub,
      payload: link.payload,
      user_information: link.user_information,
      bot_id: link.bot_id,
      exp: link.exp,
      created_at: link.created_at,
    }),
  );
  // By the token's hash alone: whoever holds the token has yet to learn which space it is of.
  const findByToken = prepare(db, ({ tokenHash }: { tokenHash: string }) =>
    db
      .selectFrom('links')
      .innerJoin('bots', onAnsweringBot)
      .where('links.token_hash', '=', tokenHash)
      .select([
        'links.id',
        'links.space_id',
        'links.sub',
        'links.payload',
        'links.exp',
        'links.revoked_at',
        'bots.name',
        'bots.greeting',
        'bots.suggestions',
      ]),
  );
  const findSpaceByToken = prepare(db, ({ tokenHash }: { tokenHash: string }) =>
    db.selectFrom('links').where('token_hash', '=', tokenHash).select('space_id'),
  );
  const findLifetime = prepare(db, ({ spaceId, id }: { spaceId: string; id: string }) =>
    db
      .selectFrom('links')
      .where('space_id', '=', spaceId)
      .where('id', '=', id)
      .select(['exp', 'revoked_at']),
  );
  const findForChat = prepare(db, ({ spaceId, id }: { spaceId: string; id: string }) =>
    db
      .selectFrom('links')
      .innerJoin('bots', onAnsweringBot)
      .where('links.space_id', '=', spaceId)
      .where('links.id', '=', id)
      .select([
        'links.payload',
        'links.user_information',
        'bots.name',
        'bots.system_prompt',
        'bots.model',
      ]),
  );

  return {
    /** Stores a link; when this resolves it is on disk. */
    async insert(link: NewLink): Promise<void> {
      await insert(link);
    },

    /** The link with this token and its bot (the first of the space unless one was asked for), or null. */
    async findByToken(tokenHash: string): Promise<ExchangedLink | null> {
      const [row] = await findByToken({ tokenHash });
      if (row === undefined) return null;
      return {
        id: row.id,
        spaceId: row.space_id,
        sub: row.sub,
        payload: row.payload,
        exp: row.exp,
        revokedAt: row.revoked_at,
        bot: {
          name: row.name,
          greeting: row.greeting,
          suggestions: JSON.parse(row.suggestions) as string[],
        },
      };
    },

    /** The space of the link with this token, whatever its state, or null. */
    async findSpaceByToken(tokenHash: string): Promise<string | null> {
      const [row] = await findSpaceByToken({ tokenHash });
      return row?.space_id ?? null;
    },

    /** What decides the state of a link; null when the space has none with this id. */
    async findLifetime(spaceId: string, id: string): Promise<Lifetime | null> {
      const [row] = await findLifetime({ spaceId, id });
      return row === undefined ? null : { exp: row.exp, revokedAt: row.revoked_at };
    },

    /** A link and its bot as the chat needs them; null when the space has no link with this id. */
    async findForChat(spaceId: string, id: string): Promise<LinkForChat | null> {
      const [row] = await findForChat({ spaceId, id });
      if (row === undefined) return null;
      const { payload, user_information: userInformation, name, model } = row;
      return { payload, userInformation, bot: { name, systemPrompt: row.system_prompt, model } };
    },

    /** Adds exchanges that have happened; a link stands among them once. */
    async addExchanges(counted: readonly CountedExchanges[]): Promise<void> {
      const rows = counted.map(
        ({ spaceId, id, count, at }) =>
          sql`(${spaceId}, ${id}, cast(${count} as bigint), cast(${at} as bigint))`,
      );
      // Two processes that count the same links may hold each other up.
      await retryConflicts(() =>
        sql`with counted (space_id, id, count, at) as (values ${sql.join(rows)})
          update links
          set exchanges = links.exchanges + counted.count,
            -- Replicas write independently, so an older exchange may arrive after a newer one.
            last_exchanged_at = case
              when links.last_exchanged_at > counted.at then links.last_exchanged_at
              else counted.at
            end
          from counted
          where links.space_id = counted.space_id and links.id = counted.id`.execute(db),
      );
    },

    /** The space of a link and nothing else, to ask whether the caller may see it at all. */
    async findSpace(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('links')
        .where('id', '=', id)
        .select('space_id')
        .executeTakeFirst();
      return row?.space_id ?? null;
    },

    /** A link of a space, or null. */
    async find(spaceId: string, id: string): Promise<ShownLink | null> {
      const row = await db
        .selectFrom('links')
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .select([...LISTED, 'payload', 'user_information'])
        .executeTakeFirst();
      return row ?? null;
    },

    /** Links of a space, oldest first, from behind the id `after`; `count` at most. */
    list(spaceId: string, after: string | null, count: number): Promise<ListedLink[]> {
      let query = db.selectFrom('links').where('space_id', '=', spaceId);
      if (after !== null) query = query.where('id', '>', after);
      return query.select(LISTED).orderBy('id').limit(count).execute();
    },

    /** Notes when a link was revoked, the first time only. False when the space has none with this id. */
    async revoke(spaceId: string, id: string, at: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('links')
        .set({ revoked_at: sql`coalesce(revoked_at, ${at})` })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Whether a space has this bot. */
    async hasBot(spaceId: string, botId: number): Promise<boolean> {
      const row = await db
        .selectFrom('bots')
        .where('space_id', '=', spaceId)
        .where('id', '=', botId)
        .select('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** The bot that answers behind a link: the one that was asked for, else the first of the space. */
function onAnsweringBot(
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
