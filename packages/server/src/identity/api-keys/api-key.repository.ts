import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction, runWrites, type Write } from '../../storage/ports/index.ts';
import type { SpaceAccess } from '../access/access.ts';
import type { StoredKey } from './api-key.rules.ts';

const COLUMNS = [
  'id',
  'space_id',
  'name',
  'prefix',
  'scopes',
  'expires_at',
  'created_at',
  'last_used_at',
] as const;

export interface ApiKeyRepository {
  /** Returns `false` if the space has been deleted. */
  insert(
    space: SpaceAccess,
    key: Omit<StoredKey, 'space_id'>,
    keyHash: string,
    joined: readonly Write[],
  ): Promise<boolean>;
  list(space: SpaceAccess, after: string | null, limit: number): Promise<StoredKey[]>;
  find(space: SpaceAccess, keyId: string): Promise<StoredKey | undefined>;
  rename(space: SpaceAccess, keyId: string, name: string): Promise<void>;
  /** Returns `false` if the space has no such key. */
  remove(space: SpaceAccess, keyId: string): Promise<boolean>;
}

export function createApiKeyRepository(db: Database): ApiKeyRepository {
  return {
    insert: ({ spaceId }, key, keyHash, joined) =>
      inTransaction(db, async (trx) => {
        const space = trx.selectFrom('spaces').select('id').where('id', '=', spaceId);
        if ((await space.executeTakeFirst()) === undefined) return false;
        await trx
          .insertInto('api_keys')
          .values({ ...key, space_id: spaceId, key_hash: keyHash })
          .execute();
        await recordAction(trx, {
          action: 'api-key.created',
          spaceId,
          resourceId: key.id,
          details: { scopes: JSON.parse(key.scopes) as unknown, expires: key.expires_at !== null },
        });
        await runWrites(trx, joined);
        return true;
      }),
    list: ({ spaceId }, after, limit) =>
      db
        .selectFrom('api_keys')
        .select(COLUMNS)
        .where('space_id', '=', spaceId)
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit)
        .execute(),
    find: ({ spaceId }, keyId) =>
      db
        .selectFrom('api_keys')
        .select(COLUMNS)
        .where('space_id', '=', spaceId)
        .where('id', '=', keyId)
        .executeTakeFirst(),
    rename: ({ spaceId }, keyId, name) =>
      inTransaction(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('api_keys')
          .set({ name })
          .where('space_id', '=', spaceId)
          .where('id', '=', keyId)
          .executeTakeFirst();
        if (numUpdatedRows > 0n)
          await recordAction(trx, { action: 'api-key.changed', spaceId, resourceId: keyId });
      }),
    remove: ({ spaceId }, keyId) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('api_keys')
          .where('space_id', '=', spaceId)
          .where('id', '=', keyId)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await recordAction(trx, { action: 'api-key.deleted', spaceId, resourceId: keyId });
        return true;
      }),
  };
}
