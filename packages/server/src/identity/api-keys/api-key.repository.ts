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
    rename: async ({ spaceId }, keyId, name) => {
      await db
        .updateTable('api_keys')
        .set({ name })
        .where('space_id', '=', spaceId)
        .where('id', '=', keyId)
        .execute();
    },
    remove: async ({ spaceId }, keyId) => {
      const { numDeletedRows } = await db
        .deleteFrom('api_keys')
        .where('space_id', '=', spaceId)
        .where('id', '=', keyId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
