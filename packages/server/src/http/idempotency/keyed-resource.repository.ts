import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Write } from '../../storage/ports/index.ts';

/** A resource that is the record of the request that created it. */
export interface KeyedResource {
  readonly id: string;
  readonly spaceId: string;
  readonly tokenHash: string;
  /** The token, encrypted for the request that created the resource. */
  readonly sealedToken: string;
  /** JSON text. */
  readonly payload: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The resources that are the records of their requests. The module that owns the resources implements this interface. */
export interface KeyedResources {
  /** Returns the resource that a request with this key created, however long ago, or null. */
  find(spaceId: string, keyHash: string): Promise<KeyedResource | null>;
  /** Returns the condition that a request with this key created a resource after `since` (Unix milliseconds). */
  isUsed(key: ResourceKey & { readonly since: number }): RawBuilder<SqlBool>;
  /** Returns the write that frees the key of a resource that was created at `until` (Unix milliseconds) or before. */
  release(key: ResourceKey, until: number): Write;
}

export interface ResourceKey {
  readonly spaceId: string;
  /** Keyed hash of the caller and the `Idempotency-Key`. */
  readonly keyHash: string;
}

/** Values that detect a stored response to the same `Idempotency-Key` in the statement that inserts the resource. */
export interface KeyGuard {
  readonly caller: string;
  readonly keyHash: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Returns the hash of a new resource's token, or null if a response to the key is stored. The column rejects null, so the whole
 * transaction fails without another round trip. A unique index of the resource detects another resource with the key.
 *
 * @param isAlone `false` if other processes use the store. The hash is then also null while another process runs a request with the key.
 */
export function tokenHashUnlessUsed(
  { caller, keyHash, now }: { [Name in keyof KeyGuard]: KeyGuard[Name] },
  tokenHash: string,
  isAlone: boolean,
): RawBuilder<string> {
  const isUsed = sql<SqlBool>`exists (select 1 from idempotent_responses where caller = ${caller}
    and key_hash = ${keyHash} and expires_at > cast(${now} as bigint))`;
  return unless(isUsed, keyHash, isAlone, tokenHash);
}

/** Returns an encrypted response like `tokenHashUnlessUsed`. The primary key of the responses detects another response. */
export function sealedUnlessUsed(
  isUsed: RawBuilder<SqlBool>,
  { keyHash, sealed }: { readonly keyHash: string; readonly sealed: string },
  isAlone: boolean,
): RawBuilder<string> {
  return unless(isUsed, keyHash, isAlone, sealed);
}

function unless(
  isUsed: RawBuilder<SqlBool>,
  keyHash: string,
  isAlone: boolean,
  value: string,
): RawBuilder<string> {
  // The lock is released at the end of the transaction.
  const isBlocked = isAlone
    ? isUsed
    : sql`(not pg_try_advisory_xact_lock(hashtextextended(cast(${keyHash} as text), 0)) or ${isUsed})`;
  return sql`case when ${isBlocked} then null else cast(${value} as text) end`;
}
