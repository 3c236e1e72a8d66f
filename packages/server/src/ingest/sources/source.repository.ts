import type { EventSourceChange } from '@gatehouse/contract';
import type { SpaceAccess } from '../../identity/index.ts';
import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction, runWrites, type Write } from '../../storage/ports/index.ts';
import { MAX_SOURCES, type StoredSecret, type StoredSource } from './source.rules.ts';

const SOURCE = [
  'id',
  'space_id',
  'name',
  'source',
  'match',
  'signature_required',
  'feeds_knowledge',
  'created_at',
] as const;
const SECRET = ['id', 'source_id', 'sealed', 'created_at', 'ends_at'] as const;

export interface SourceRepository {
  /**
   * Returns `no-space` if the space was deleted, `exists` for a duplicate, and `too-many` if the space already has
   * `MAX_SOURCES` sources.
   */
  insert(
    space: SpaceAccess,
    source: Omit<StoredSource, 'space_id'>,
    secret: StoredSecret,
    joined: readonly Write[],
  ): Promise<'inserted' | 'no-space' | 'exists' | 'too-many'>;
  /** Returns sources in ID order, starting after the ID `after`. */
  list(space: SpaceAccess, after: string | null, limit: number): Promise<StoredSource[]>;
  find(space: SpaceAccess, sourceId: string): Promise<StoredSource | undefined>;
  /** Returns the secrets of these sources, newest first. */
  secrets(space: SpaceAccess, sourceIds: readonly string[]): Promise<StoredSecret[]>;
  change(space: SpaceAccess, sourceId: string, change: EventSourceChange): Promise<void>;
  /**
   * Adds a secret, sets the expiry of the previous secret to `oldEndsAt` and deletes all older secrets. Returns `false`
   * if the source does not exist.
   */
  rotate(space: SpaceAccess, secret: StoredSecret, oldEndsAt: number): Promise<boolean>;
  remove(space: SpaceAccess, sourceId: string): Promise<boolean>;
  ofSpace(spaceId: string): Promise<{ sources: StoredSource[]; secrets: StoredSecret[] }>;
  /** Returns at most `limit` sources whose `source` is one of `names`, from all spaces. */
  named(names: readonly string[], limit: number): Promise<StoredSource[]>;
}

export function createSourceRepository(db: Database): SourceRepository {
  return {
    insert: ({ spaceId }, source, secret, joined) =>
      inTransaction(db, async (trx) => {
        const space = trx.selectFrom('spaces').select('id').where('id', '=', spaceId);
        if ((await space.executeTakeFirst()) === undefined) return 'no-space';
        const others = await trx
          .selectFrom('event_sources')
          .select(['source', 'match'])
          .where('space_id', '=', spaceId)
          .execute();
        const isSame = (other: { source: string; match: string }) =>
          other.source === source.source && other.match === source.match;
        if (others.some(isSame)) return 'exists';
        if (others.length >= MAX_SOURCES) return 'too-many';
        await trx
          .insertInto('event_sources')
          .values({ ...source, space_id: spaceId })
          .execute();
        await trx
          .insertInto('event_source_secrets')
          .values({ ...secret, space_id: spaceId })
          .execute();
        await recordAction(trx, {
          action: 'event-source.created',
          spaceId,
          resourceId: source.id,
        });
        await runWrites(trx, joined);
        return 'inserted';
      }),
    list: ({ spaceId }, after, limit) =>
      db
        .selectFrom('event_sources')
        .select(SOURCE)
        .where('space_id', '=', spaceId)
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit)
        .execute(),
    find: ({ spaceId }, sourceId) =>
      db
        .selectFrom('event_sources')
        .select(SOURCE)
        .where('space_id', '=', spaceId)
        .where('id', '=', sourceId)
        .executeTakeFirst(),
    secrets: async ({ spaceId }, sourceIds) => {
      if (sourceIds.length === 0) return [];
      return db
        .selectFrom('event_source_secrets')
        .select(SECRET)
        .where('space_id', '=', spaceId)
        .where('source_id', 'in', sourceIds)
        .orderBy('id', 'desc')
        .execute();
    },
    change: async ({ spaceId }, sourceId, { name, signatureRequired, feedsKnowledge }) => {
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(signatureRequired === undefined
          ? {}
          : { signature_required: signatureRequired ? 1 : 0 }),
        ...(feedsKnowledge === undefined ? {} : { feeds_knowledge: feedsKnowledge ? 1 : 0 }),
      };
      if (Object.keys(changes).length === 0) return;
      await inTransaction(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('event_sources')
          .set(changes)
          .where('space_id', '=', spaceId)
          .where('id', '=', sourceId)
          .executeTakeFirst();
        if (numUpdatedRows > 0n)
          await recordAction(trx, {
            action: 'event-source.changed',
            spaceId,
            resourceId: sourceId,
            details: { changed: Object.keys(changes) },
          });
      });
    },
    rotate: ({ spaceId }, secret, oldEndsAt) =>
      inTransaction(db, async (trx) => {
        const source = await trx
          .selectFrom('event_sources')
          .select('id')
          .where('space_id', '=', spaceId)
          .where('id', '=', secret.source_id)
          .executeTakeFirst();
        if (source === undefined) return false;
        const ofSource = trx
          .deleteFrom('event_source_secrets')
          .where('space_id', '=', spaceId)
          .where('source_id', '=', secret.source_id);
        await ofSource.where('ends_at', 'is not', null).execute();
        await trx
          .updateTable('event_source_secrets')
          .set({ ends_at: oldEndsAt })
          .where('space_id', '=', spaceId)
          .where('source_id', '=', secret.source_id)
          .execute();
        await trx
          .insertInto('event_source_secrets')
          .values({ ...secret, space_id: spaceId })
          .execute();
        await recordAction(trx, {
          action: 'event-source.secret-rotated',
          spaceId,
          resourceId: secret.source_id,
        });
        return true;
      }),
    remove: ({ spaceId }, sourceId) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('event_sources')
          .where('space_id', '=', spaceId)
          .where('id', '=', sourceId)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await recordAction(trx, { action: 'event-source.deleted', spaceId, resourceId: sourceId });
        return true;
      }),
    ofSpace: async (spaceId) => ({
      sources: await db
        .selectFrom('event_sources')
        .select(SOURCE)
        .where('space_id', '=', spaceId)
        .execute(),
      secrets: await db
        .selectFrom('event_source_secrets')
        .select(SECRET)
        .where('space_id', '=', spaceId)
        .orderBy('id', 'desc')
        .execute(),
    }),
    named: (names, limit) =>
      db
        .selectFrom('event_sources')
        .select(SOURCE)
        .where('source', 'in', names)
        .limit(limit)
        .execute(),
  };
}
