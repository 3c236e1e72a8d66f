import { type RawBuilder, type Selectable, sql } from 'kysely';
import { isTokenOf, type RecordedRequest, selectorHashUnlessUsed } from '../../http/index.ts';
import { hasBot } from '../../identity/index.ts';
import { type LinkCreation, recordAction } from '../../platform/audit/index.ts';
import {
  type Database,
  inTransaction,
  type LinkRow,
  prepare,
  prepareWrite,
  retryConflicts,
  type Write,
} from '../../storage/ports/index.ts';
import {
  type AnsweringBot,
  createFilteredLinkReads,
  onAnsweringBot,
} from './filtered-link.repository.ts';
import type { Lifetime } from './link.rules.ts';
import { LISTED, type ListedLink } from './link-list.repository.ts';
import { type PossibleHashes, possibleHashesOf } from './link-token.rules.ts';

type Row = Selectable<LinkRow>;

export type NewLink = LinkCreation &
  Omit<Row, 'revoked_at' | 'exchanges' | 'last_exchanged_at' | 'token_check' | keyof LinkCreation>;

type NewValues = { [C in keyof NewLink]: NewLink[C] };

export type ShownLink = ListedLink & Pick<Row, 'payload' | 'user_information'>;

export interface ExchangedLink extends Lifetime {
  readonly id: string;
  readonly spaceId: string;
  readonly sub: string | null;
  readonly payload: string;
  /** `true` if an earlier exchange has been counted. Counts are written after up to a second. */
  readonly isOpened: boolean;
  readonly bot: AnsweringBot;
  /** Reports whether the bot hands conversations over to people. */
  readonly hasHandoff: boolean;
}

/** Exchanges of one link that are not yet stored. */
export interface CountedExchanges {
  readonly spaceId: string;
  readonly id: string;
  readonly count: number;
  /** Time of the last exchange, Unix milliseconds. */
  readonly at: number;
}

type StoredToken = Pick<Row, 'token_hash' | 'token_check'>;

/** Returns the link with a token, or undefined. */
async function linkOf<Found extends StoredToken>(
  token: string,
  find: ({ random, unclustered, derived }: PossibleHashes) => Promise<readonly Found[]>,
): Promise<Found | undefined> {
  const hashes = possibleHashesOf(token);
  const found = await find(hashes);
  return found.find(({ token_hash, token_check }) =>
    token_check === null ? token_hash !== hashes.derived : isTokenOf(token_check, token),
  );
}

/**
 * Returns the space of a new link, or null if the space requires a filter and the link has none. The column rejects null, so no such link is
 * stored after the response to the request that has set `requireLinkFilter`.
 */
function spaceIdIfFiltered(link: NewValues): RawBuilder<string> {
  return sql`case when cast(${link.restricted} as integer) = 0
    and exists (select 1 from spaces where id = ${link.space_id} and require_link_filter = 1)
    then null else cast(${link.space_id} as text) end`;
}

export type LinkRepository = ReturnType<typeof createLinkRepository>;

/**
 * Creates the repository of access links. Times are Unix milliseconds; `exp` is in Unix seconds.
 *
 * @param isAlone `true` if no other process uses the store.
 */
export function createLinkRepository(db: Database, isAlone = true) {
  const insert = (
    link: NewValues,
    tokenHash: string | RawBuilder<string>,
    tokenCheck: string | null = null,
  ) =>
    db.insertInto('links').values({
      id: link.id,
      space_id: spaceIdIfFiltered(link),
      token_hash: tokenHash,
      token_prefix: link.token_prefix,
      sub: link.sub,
      payload: link.payload,
      user_information: link.user_information,
      bot_id: link.bot_id,
      exp: link.exp,
      created_at: link.created_at,
      restricted: link.restricted,
      warnings: link.warnings,
      creator_kind: link.creator_kind,
      creator_id: link.creator_id,
      creator_session: link.creator_session,
      creator_address: link.creator_address,
      has_permission_filter: link.has_permission_filter,
      token_check: tokenCheck,
    });
  const insertion = prepareWrite((link: NewValues) => insert(link, link.token_hash));
  const guardedInsertion = prepareWrite(
    (link: NewValues & { readonly caller: string; readonly tokenCheck: string }) => {
      const { caller, token_hash: selectorHash, created_at: now } = link;
      const guarded = selectorHashUnlessUsed({ caller, selectorHash, now }, isAlone);
      return insert(link, guarded, link.tokenCheck);
    },
  );
  // Selects by token hash alone because an exchange does not know the space yet.
  const findByToken = prepare(db, ({ random, unclustered, derived }: PossibleHashes) =>
    db
      .selectFrom('links')
      .innerJoin('bots', onAnsweringBot)
      .where('links.token_hash', 'in', [random, unclustered, derived])
      .select([
        'links.token_hash',
        'links.token_check',
        'links.id',
        'links.space_id',
        'links.sub',
        'links.payload',
        'links.exp',
        'links.revoked_at',
        'links.exchanges',
        'bots.name',
        'bots.greeting',
        'bots.suggestions',
        'bots.handoff',
      ]),
  );
  const findLifetimeByToken = prepare(db, ({ random, unclustered, derived }: PossibleHashes) =>
    db
      .selectFrom('links')
      .where('token_hash', 'in', [random, unclustered, derived])
      .select(['token_hash', 'token_check', 'space_id', 'exp', 'revoked_at']),
  );
  const findLifetime = prepare(db, ({ spaceId, id }: { spaceId: string; id: string }) =>
    db
      .selectFrom('links')
      .where('space_id', '=', spaceId)
      .where('id', '=', id)
      .select(['exp', 'revoked_at']),
  );
  return {
    ...createFilteredLinkReads(db),

    /**
     * Returns the write that stores a link. The write fails with `NullViolation` if the space requires a filter and the link has none.
     *
     * @param record makes the link the record of its request. The write then fails if the `Idempotency-Key` was used before.
     */
    insertion: (
      link: NewLink,
      record: Pick<RecordedRequest, 'caller' | 'tokenCheck'> | null = null,
    ): Write =>
      record === null
        ? insertion({ ...link })
        : guardedInsertion({ ...link, caller: record.caller, tokenCheck: record.tokenCheck }),

    /** Returns the link with this token and the answering bot of the link, or null. */
    async findByToken(token: string): Promise<ExchangedLink | null> {
      const row = await linkOf(token, findByToken);
      if (row === undefined) return null;
      return {
        id: row.id,
        spaceId: row.space_id,
        sub: row.sub,
        payload: row.payload,
        exp: row.exp,
        revokedAt: row.revoked_at,
        isOpened: row.exchanges > 0,
        bot: {
          name: row.name,
          greeting: row.greeting,
          suggestions: JSON.parse(row.suggestions) as string[],
        },
        hasHandoff: row.handoff !== null,
      };
    },

    async findLifetimeByToken(
      token: string,
    ): Promise<(Lifetime & { readonly spaceId: string }) | null> {
      const row = await linkOf(token, findLifetimeByToken);
      if (row === undefined) return null;
      return { spaceId: row.space_id, exp: row.exp, revokedAt: row.revoked_at };
    },

    async findLifetime(spaceId: string, id: string): Promise<Lifetime | null> {
      const [row] = await findLifetime({ spaceId, id });
      return row === undefined ? null : { exp: row.exp, revokedAt: row.revoked_at };
    },

    /** Adds to the exchange counts. `counted` contains each link at most once. */
    async addExchanges(counted: readonly CountedExchanges[]): Promise<void> {
      const rows = counted.map(
        ({ spaceId, id, count, at }) =>
          sql`(${spaceId}, ${id}, cast(${count} as bigint), cast(${at} as bigint))`,
      );
      // Two replicas that count the same links may deadlock.
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

    async findSpace(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('links')
        .where('id', '=', id)
        .select('space_id')
        .executeTakeFirst();
      return row?.space_id ?? null;
    },

    async find(spaceId: string, id: string): Promise<ShownLink | null> {
      const row = await db
        .selectFrom('links')
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .select([...LISTED, 'payload', 'user_information'])
        .executeTakeFirst();
      return row ?? null;
    },

    /** Revokes a link and keeps the time of the first revocation. Returns `false` if the space has no such link. */
    revoke(spaceId: string, id: string, at: number): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const link = await trx
          .selectFrom('links')
          .where('space_id', '=', spaceId)
          .where('id', '=', id)
          .select(['sub', 'revoked_at'])
          .executeTakeFirst();
        if (link === undefined) return false;
        if (link.revoked_at !== null) return true;
        await trx
          .updateTable('links')
          .set({ revoked_at: at })
          .where('space_id', '=', spaceId)
          .where('id', '=', id)
          .execute();
        await recordAction(trx, { action: 'link.revoked', spaceId, resourceId: id, sub: link.sub });
        return true;
      });
    },

    hasBot: (spaceId: string, botId: number) => hasBot(db, { spaceId, botId }),
  };
}
