import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Database, prepare } from '../../storage/ports/index.ts';

/** Values that detect an earlier request with the same `Idempotency-Key` in the statement that inserts the resource. */
export interface KeyGuard {
  readonly caller: string;
  /** Keyed hash of the `Idempotency-Key`. */
  readonly keyHash: string;
  /** Hash of the token that is derived on this day. */
  readonly tokenHash: string;
  /** Hash of the token that was derived on the day before. */
  readonly previousTokenHash: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Unix milliseconds. Earlier requests with the key no longer count. */
  readonly since: number;
}

type GuardValues = { [Name in keyof KeyGuard]: KeyGuard[Name] };

/** A link whose token is derived. */
export interface DerivedLink {
  readonly id: string;
  readonly spaceId: string;
  readonly tokenHash: string;
  /** JSON text. */
  readonly payload: string;
  /** Null after the person of the link was erased. */
  readonly requestHash: string | null;
}

/**
 * Returns the hash of a new link's token, or null if the key was used within 24 hours. The column rejects null, so the whole
 * transaction fails without another round trip. The unique index on the hash itself detects a link of the same day.
 *
 * @param isAlone `false` if other processes use the store. The hash is then also null while another process runs a request with the key.
 */
export function tokenHashUnlessUsed(guard: GuardValues, isAlone: boolean): RawBuilder<string> {
  const isUsed = sql<SqlBool>`(
    exists (select 1 from idempotent_responses where caller = ${guard.caller}
      and key_hash = ${guard.keyHash} and expires_at > cast(${guard.now} as bigint))
    or exists (select 1 from links where token_hash = ${guard.previousTokenHash}
      and created_at > cast(${guard.since} as bigint) and request_hash is not null))`;
  return unless(isUsed, guard, isAlone, sql`cast(${guard.tokenHash} as text)`);
}

/** Returns an encrypted response like `tokenHashUnlessUsed`. The primary key of the responses detects another response. */
export function sealedUnlessUsed(
  guard: Omit<GuardValues, 'caller' | 'now'> & { readonly sealed: string },
  isAlone: boolean,
): RawBuilder<string> {
  const isUsed = sql<SqlBool>`exists (select 1 from links
    where token_hash in (${guard.tokenHash}, ${guard.previousTokenHash})
      and created_at > cast(${guard.since} as bigint) and request_hash is not null)`;
  return unless(isUsed, guard, isAlone, sql`cast(${guard.sealed} as text)`);
}

function unless(
  isUsed: RawBuilder<SqlBool>,
  { keyHash }: Pick<GuardValues, 'keyHash'>,
  isAlone: boolean,
  value: RawBuilder<string>,
): RawBuilder<string> {
  // The lock is released at the end of the transaction.
  const isBlocked = isAlone
    ? isUsed
    : sql`(not pg_try_advisory_xact_lock(hashtextextended(cast(${keyHash} as text), 0)) or ${isUsed})`;
  return sql`case when ${isBlocked} then null else ${value} end`;
}

/** Creates the reads of links whose token is derived. */
export function createDerivedLinks(db: Database) {
  const find = prepare(
    db,
    (guard: Pick<GuardValues, 'tokenHash' | 'previousTokenHash' | 'since'>) =>
      db
        .selectFrom('links')
        .where('token_hash', 'in', [guard.tokenHash, guard.previousTokenHash])
        .where('created_at', '>', guard.since)
        .select(['id', 'space_id', 'token_hash', 'payload', 'request_hash']),
  );
  return {
    /** Returns the link that a request with the same key created since then, or null. */
    async find({ tokenHash, previousTokenHash, since }: KeyGuard): Promise<DerivedLink | null> {
      const rows = await find({ tokenHash, previousTokenHash, since });
      const row = rows.find((one) => one.request_hash !== null) ?? rows[0];
      if (row === undefined) return null;
      const { id, space_id: spaceId, payload, request_hash: requestHash } = row;
      return { id, spaceId, payload, requestHash, tokenHash: row.token_hash };
    },
  };
}
