import type { LinkState } from '@gatehouse/contract';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { type LinkCreation, recordAction } from '../../platform/audit/index.ts';
import { type Database, inTransaction, type LinkRow } from '../../storage/ports/index.ts';

export type ListedLink = Omit<
  Selectable<LinkRow>,
  'token_hash' | 'token_check' | 'payload' | 'user_information' | 'bot_id' | keyof LinkCreation
> & {
  /** The payload of a link whose `restricted` is null. Otherwise null, because payloads can be large. */
  readonly unchecked_payload: string | null;
};

export interface ListedLinks {
  readonly spaceId: string;
  /** Exact match. Omitted: all links. */
  readonly sub?: string | undefined;
  /** Maximum number of links. */
  readonly count: number;
}

/** A link with the JSON text of its payload. */
export type ActiveLink = ListedLink & Pick<Selectable<LinkRow>, 'payload'>;

/** The last link of the previous page in a list of links with the same state. */
export interface ExpiryPosition {
  readonly exp: number;
  readonly id: string;
}

export type LinkListRepository = ReturnType<typeof createLinkListRepository>;

export const LISTED = [
  'id',
  'space_id',
  'token_prefix',
  'sub',
  'exp',
  'created_at',
  'revoked_at',
  'exchanges',
  'last_exchanged_at',
  'restricted',
  'warnings',
  sql<string | null>`case when restricted is null then payload end`.as('unchecked_payload'),
] as const;

/**
 * 1 if the state of a link is `revoked`: a link that is revoked after its `exp` stays expired. The migrations contain the same
 * expression, because the indexes `links_state` and `links_sub_state` serve only queries with this expression.
 */
const REVOKED = sql<number>`case when revoked_at < exp * 1000 then 1 else 0 end`;

/** Creates the repository for lists of links, and for changes of all links of a person. Times are Unix milliseconds. */
export function createLinkListRepository(db: Database) {
  return {
    /** Returns links with IDs greater than `after`, oldest first. */
    list({ spaceId, sub, count }: ListedLinks, after: string | null): Promise<ListedLink[]> {
      let query = db.selectFrom('links').where('space_id', '=', spaceId);
      if (sub !== undefined) query = query.where(hasSub(sub));
      // Without the lower bound, PostgreSQL may read and sort all links of a person before it has statistics.
      query = query.where('id', '>', after ?? '');
      return query.select(LISTED).orderBy('id').limit(count).execute();
    },

    /** Returns links that are in a state at the time `now`, after a position, in the order of `exp` and ID. */
    listByState(
      { spaceId, sub, count }: ListedLinks,
      { state, now }: { readonly state: LinkState; readonly now: number },
      after: ExpiryPosition | null,
    ): Promise<ListedLink[]> {
      let query = db
        .selectFrom('links')
        .where('space_id', '=', spaceId)
        .where(REVOKED, '=', sql<number>`${sql.lit(state === 'revoked' ? 1 : 0)}`);
      if (sub !== undefined) query = query.where(hasSub(sub));
      if (state === 'active') query = query.where(isActive(now));
      if (state === 'expired') query = query.where(isExpired(now));
      // The first page of active links starts at the current time, and each later page starts at the cursor position. With both lower
      // bounds in one query, a database might start every page at the current time.
      if (after !== null) query = query.where(isAfter(after));
      else if (state === 'active') query = query.where('exp', '>', secondBefore(now));
      return query.select(LISTED).orderBy('exp').orderBy('id').limit(count).execute();
    },

    /** Returns the ID of the oldest of the newest `count` links of a space, or null if the space has at most `count` links. */
    async oldestOfNewest(spaceId: string, count: number): Promise<string | null> {
      const row = await db
        .selectFrom('links')
        .where('space_id', '=', spaceId)
        .select('id')
        .orderBy('id', 'desc')
        .offset(count)
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /**
     * Returns the links that are active at the time `now`, newest first.
     *
     * @param range.from IDs are greater than or equal to this one.
     * @param range.before IDs are less than this one. `null`: no limit.
     */
    newestActive(
      spaceId: string,
      {
        now,
        from,
        before,
        count,
      }: {
        readonly now: number;
        readonly from: string;
        readonly before: string | null;
        readonly count: number;
      },
    ): Promise<ActiveLink[]> {
      let query = db
        .selectFrom('links')
        .where('space_id', '=', spaceId)
        .where('id', '>=', from)
        .where(isActive(now));
      if (before !== null) query = query.where('id', '<', before);
      return query
        .select([...LISTED, 'payload'])
        .orderBy('id', 'desc')
        .limit(count)
        .execute();
    },

    /** Revokes all links of a person that are active at the time `now`. Returns their number. */
    revokeAllOf(spaceId: string, sub: string, now: number): Promise<number> {
      return inTransaction(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('links')
          .set({ revoked_at: now })
          .where('space_id', '=', spaceId)
          .where(hasSub(sub))
          .where(REVOKED, '=', sql<number>`0`)
          .where('exp', '>', secondBefore(now))
          .where(isActive(now))
          .executeTakeFirstOrThrow();
        const details = { count: Number(numUpdatedRows) };
        if (details.count > 0)
          await recordAction(trx, {
            action: 'links.revoked',
            spaceId,
            resourceId: null,
            sub,
            details,
          });
        return details.count;
      });
    },
  };
}

/** Compares the column `sub`. The indexes contain only its start, because PostgreSQL limits the size of an index entry. */
export function hasSub(sub: string) {
  return sql<SqlBool>`substr(sub, 1, 200) = substr(cast(${sub} as text), 1, 200) and sub = ${sub}`;
}

/** This condition and `isExpired` must agree with `stateOf`. */
function isActive(now: number) {
  return sql<SqlBool>`exp * 1000 > cast(${now} as double precision) and revoked_at is null`;
}

function isExpired(now: number) {
  return sql<SqlBool>`exp <= cast(${now / 1000 + 1} as double precision)
    and exp * 1000 <= cast(${now} as double precision)`;
}

/** Returns a lower bound for `exp` in Unix seconds. The margin of one second covers rounding errors of `exp * 1000`. */
function secondBefore(now: number): number {
  return now / 1000 - 1;
}

function isAfter({ exp, id }: ExpiryPosition) {
  return sql<SqlBool>`(exp, id) > (cast(${exp} as double precision), ${id})`;
}
