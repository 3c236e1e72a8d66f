import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** A resource that is the record of the request that created it. */
export interface KeyedResource {
  readonly id: string;
  readonly spaceId: string;
  /** Hash of the resource's token, which depends on the request. Null if the resource is no longer the record of its request. */
  readonly tokenCheck: string | null;
  /** JSON text. */
  readonly payload: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The resources that are the records of their requests. The module that owns the resources implements this interface. */
export interface KeyedResources {
  /** Returns the resource with this selector, however old it is, or null. */
  find(key: ResourceKey): Promise<KeyedResource | null>;
  /** Returns the condition that a resource with this selector was created after `since` (Unix milliseconds) and is the record of its request. */
  isUsed(key: ResourceKey & { readonly since: number }): RawBuilder<SqlBool>;
}

export interface ResourceKey {
  /** Space of the API key. */
  readonly spaceId: string;
  /** SHA-256 of the selector that is derived from the API key and the `Idempotency-Key`, in hex. */
  readonly selectorHash: string;
}

/**
 * Returns the hash of the selector of a new resource's token, or null if a response to the key is stored. The column rejects null, so the whole
 * transaction fails without another round trip. The unique index of the hashes detects another resource with the key.
 *
 * @param isAlone `false` if other processes use the store. The hash is then also null while another process runs a request with the key.
 */
export function selectorHashUnlessUsed(
  { caller, selectorHash, now }: { caller: string; selectorHash: string; now: number },
  isAlone: boolean,
): RawBuilder<string> {
  const isUsed = sql<SqlBool>`exists (select 1 from idempotent_responses where caller = ${caller}
    and key_hash = ${selectorHash} and expires_at > cast(${now} as bigint))`;
  return unless(isUsed, selectorHash, isAlone, selectorHash);
}

/** Returns an encrypted response like `selectorHashUnlessUsed`. The primary key of the responses detects another response. */
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
