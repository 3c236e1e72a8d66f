import { type SqlBool, sql } from 'kysely';
import type { KeyedResources } from '../../http/index.ts';
import { type Database, prepare } from '../../storage/ports/index.ts';

/** Creates the access to links that are the records of requests with an `Idempotency-Key`. */
export function createKeyedLinks(db: Database): KeyedResources {
  const find = prepare(db, ({ spaceId, tokenHash }: { spaceId: string; tokenHash: string }) =>
    db
      .selectFrom('links')
      .where('space_id', '=', spaceId)
      .where('token_hash', '=', tokenHash)
      .select(['id', 'request_hash', 'payload', 'created_at']),
  );
  return {
    async find({ spaceId, tokenHash }) {
      const [row] = await find({ spaceId, tokenHash });
      if (row === undefined) return null;
      return {
        id: row.id,
        spaceId,
        requestHash: row.request_hash,
        payload: row.payload,
        createdAt: row.created_at,
      };
    },
    isUsed: ({ spaceId, tokenHash, since }) => sql<SqlBool>`exists (select 1 from links
      where space_id = ${spaceId} and token_hash = ${tokenHash}
        and request_hash is not null and created_at > cast(${since} as bigint))`,
  };
}
