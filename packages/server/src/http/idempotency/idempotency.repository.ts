import { type RawBuilder, sql } from 'kysely';
import {
  type Database,
  prepare,
  prepareWrite,
  retryConflicts,
  type Write,
} from '../../storage/ports/index.ts';
import {
  type KeyedResources,
  type ResourceKey,
  sealedUnlessUsed,
} from './keyed-resource.repository.ts';

/** Identifies the first request with a key. */
export interface RequestId {
  readonly caller: string;
  /** SHA-256 of the selector that is derived from the caller and the `Idempotency-Key`, in hex. */
  readonly keyHash: string;
}

export interface NewResponse extends RequestId {
  readonly spaceId: string | null;
  readonly subjectHash: string | null;
  readonly sealed: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface FoundResponse {
  readonly sealed: string;
  readonly spaceId: string | null;
  readonly expiresAt: number;
}

type Values = { [Name in keyof NewResponse]: NewResponse[Name] };
/** A key that resources use, too. */
export type UsedSince = ResourceKey & { readonly since: number };
type GuardValues = {
  readonly keySpaceId: string;
  readonly selectorHash: string;
  readonly since: number;
};

export type IdempotencyRepository = ReturnType<typeof createIdempotencyRepository>;

const MAX_REMOVED_AT_ONCE = 1000;

/**
 * Creates the repository of stored responses.
 *
 * @param isAlone `true` if no other process uses the store.
 */
export function createIdempotencyRepository(
  db: Database,
  resources: Pick<KeyedResources, 'isUsed'>,
  isAlone: boolean,
) {
  const find = prepare(db, ({ caller, keyHash }: { caller: string; keyHash: string }) =>
    db
      .selectFrom('idempotent_responses')
      .where('caller', '=', caller)
      .where('key_hash', '=', keyHash)
      .select(['sealed', 'resource_space_id', 'expires_at']),
  );
  const insert = (response: Values, sealed: string | RawBuilder<string>) =>
    db.insertInto('idempotent_responses').values({
      caller: response.caller,
      key_hash: response.keyHash,
      resource_space_id: response.spaceId,
      subject_hash: response.subjectHash,
      sealed,
      expires_at: response.expiresAt,
    });
  const insertion = prepareWrite((response: Values) => insert(response, response.sealed));
  const guardedInsertion = prepareWrite((response: Values & GuardValues) => {
    const { keySpaceId: spaceId, selectorHash, since } = response;
    const isUsed = resources.isUsed({ spaceId, selectorHash, since });
    return insert(response, sealedUnlessUsed(isUsed, response, isAlone));
  });

  return {
    /** @param guard rejects the response if a resource was created with the same key since then. */
    insertion: (response: NewResponse, guard: UsedSince | null): Write =>
      guard === null
        ? insertion({ ...response })
        : guardedInsertion({
            ...response,
            keySpaceId: guard.spaceId,
            selectorHash: guard.selectorHash,
            since: guard.since,
          }),

    /** Removes a response if it has expired by `now`. */
    removalOfExpired: ({ caller, keyHash }: RequestId, now: number): Write =>
      db
        .deleteFrom('idempotent_responses')
        .where('caller', '=', caller)
        .where('key_hash', '=', keyHash)
        .where('expires_at', '<=', now),

    /** Removes the responses that concern a person in a space. */
    removalOfSubject: (spaceId: string, subjectHash: string): Write =>
      db
        .deleteFrom('idempotent_responses')
        .where('resource_space_id', '=', spaceId)
        .where('subject_hash', '=', subjectHash),

    async find({ caller, keyHash }: RequestId): Promise<FoundResponse | null> {
      const [row] = await find({ caller, keyHash });
      if (row === undefined) return null;
      const { sealed, resource_space_id: spaceId, expires_at: expiresAt } = row;
      return { sealed, spaceId, expiresAt };
    },

    async count(caller: string): Promise<number> {
      const { count } = await db
        .selectFrom('idempotent_responses')
        .where('caller', '=', caller)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    /** Removes some responses that have expired by `now`. Returns `false` if none remain. */
    async removeSomeExpired(now: number): Promise<boolean> {
      const { numAffectedRows = 0n } = await retryConflicts(() =>
        sql`delete from idempotent_responses where (caller, key_hash) in (
          select caller, key_hash from idempotent_responses
          where expires_at <= cast(${now} as bigint) limit ${sql.lit(MAX_REMOVED_AT_ONCE)})`.execute(
          db,
        ),
      );
      return numAffectedRows === BigInt(MAX_REMOVED_AT_ONCE);
    },
  };
}
