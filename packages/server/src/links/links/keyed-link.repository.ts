import { type SqlBool, sql } from 'kysely';
import type { KeyedResources } from '../../http/index.ts';
import { type Database, prepare } from '../../storage/ports/index.ts';

/** Creates the access to links that are the records of requests with an `Idempotency-Key`. */
export function createKeyedLinks(db: Database): KeyedResources {
  const find = prepare(db, ({ spaceId, selectorHash }: { spaceId: string; selectorHash: string }) =>
    db
      .selectFrom('links')
      .where('space_id', '=', spaceId)
      .where('token_hash', '=', selectorHash)
      .select(['id', 'token_check', 'payload', 'created_at']),
  );
  return {
    async find({ spaceId, selectorHash }) {
      const [row] = await find({ spaceId, selectorHash });
      if (row === undefined) return null;
      return {
        id: row.id,
        spaceId,
        tokenCheck: row.token_check,
        payload: row.payload,
        createdAt: row.created_at,
      };
    },
    isUsed: ({ spaceId, selectorHash, since }) => sql<SqlBool>`exists (select 1 from links
      where space_id = ${spaceId} and token_hash = ${selectorHash}
        and token_check is not null and created_at > cast(${since} as bigint))`,
  };
}
