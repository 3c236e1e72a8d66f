import { type SqlBool, sql } from 'kysely';
import type { KeyedResources } from '../../http/index.ts';
import { type Database, prepare } from '../../storage/ports/index.ts';

/** Creates the access to links that are the records of requests with an `Idempotency-Key`. */
export function createKeyedLinks(db: Database): KeyedResources {
  const find = prepare(db, ({ spaceId, keyHash }: { spaceId: string; keyHash: string }) =>
    db
      .selectFrom('links')
      .where('space_id', '=', spaceId)
      .where('key_hash', '=', keyHash)
      .select(['id', 'token_hash', 'sealed_token', 'payload', 'created_at']),
  );
  return {
    async find(spaceId, keyHash) {
      const [row] = await find({ spaceId, keyHash });
      if (row === undefined || row.sealed_token === null) return null;
      return {
        id: row.id,
        spaceId,
        tokenHash: row.token_hash,
        sealedToken: row.sealed_token,
        payload: row.payload,
        createdAt: row.created_at,
      };
    },
    isUsed: ({ spaceId, keyHash, since }) => sql<SqlBool>`exists (select 1 from links
      where space_id = ${spaceId} and key_hash = ${keyHash} and created_at > cast(${since} as bigint))`,
    release: ({ spaceId, keyHash }, until) =>
      db
        .updateTable('links')
        .set({ key_hash: null, sealed_token: null })
        .where('space_id', '=', spaceId)
        .where('key_hash', '=', keyHash)
        .where('created_at', '<=', until),
  };
}
