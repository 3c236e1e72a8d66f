import { sql } from 'kysely';
import { keepCreations, recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction, type JoinedWrites, prepare, runWrites } from '../../storage/ports/index.ts';
import type { SpaceAccess, UserCaller } from '../access/access.ts';
import { confirmOwnerOfSpace } from '../access/confirmed-rights.repository.ts';
import { removeLinksAndConversations } from './links-removal.repository.ts';
import type { OwnedColumns, StoredSpace } from './space.rules.ts';

export type SpaceFilter =
  | { readonly kind: 'all' }
  | { readonly kind: 'of-user'; readonly userId: string };

export interface SpaceWrite {
  readonly name?: string | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly retention?: Pick<StoredSpace, 'events_max_age_days' | 'events_max_bytes'> | undefined;
  readonly owned: OwnedColumns;
}

export interface SpaceRepository {
  /**
   * Creates a space and its first bot, which has the space's name and an owner. Returns the bot's ID.
   *
   * @param joined receives the bot's ID.
   */
  insert(space: StoredSpace, ownerId: string, joined: JoinedWrites<number>): Promise<number>;
  list(filter: SpaceFilter, after: string | null, limit: number): Promise<StoredSpace[]>;
  find(space: SpaceAccess): Promise<StoredSpace | undefined>;
  /** Returns `undefined` if the space has been deleted. */
  change(space: SpaceAccess, write: SpaceWrite): Promise<StoredSpace | undefined>;
  /**
   * Deletes a space and its contents. Returns `false` if the space has been deleted. Stops and throws 401 or 403 if the caller loses the
   * right meanwhile; the contents that were deleted before are lost.
   */
  remove(space: SpaceAccess, caller: UserCaller): Promise<boolean>;
  origins(spaceId: string): Promise<string[]>;
  anyAllows(origin: string): Promise<boolean>;
}

export function createSpaceRepository(db: Database): SpaceRepository {
  const findOrigins = prepare(db, ({ spaceId }: { spaceId: string }) =>
    db
      .selectFrom('space_origins')
      .select('origin')
      .where('space_id', '=', spaceId)
      .orderBy('position'),
  );
  const findOrigin = prepare(db, ({ origin }: { origin: string }) =>
    db.selectFrom('space_origins').select('space_id').where('origin', '=', origin).limit(1),
  );
  return {
    insert: (space, ownerId, joined) =>
      inTransaction(db, async (trx) => {
        const { origins, ...row } = space;
        const { id, name, created_at } = row;
        await trx.insertInto('spaces').values(row).execute();
        await insertOrigins(trx, id, origins);
        const bot = await trx
          .insertInto('bots')
          .values({ space_id: id, name, suggestions: '[]', created_at })
          .returning('id')
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('bot_members')
          .values({ space_id: id, bot_id: bot.id, user_id: ownerId, role: 'owner', created_at })
          .execute();
        await recordAction(trx, { action: 'space.created', spaceId: id, resourceId: id });
        await runWrites(trx, joined(bot.id));
        return bot.id;
      }),
    list: async (filter, after, limit) => {
      const all = db
        .selectFrom('spaces')
        .selectAll()
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit);
      const rows = await (filter.kind === 'all'
        ? all
        : all.where(({ exists, selectFrom }) =>
            exists(
              selectFrom('bot_members')
                .select('bot_id')
                .where('user_id', '=', filter.userId)
                .whereRef('bot_members.space_id', '=', 'spaces.id'),
            ),
          )
      ).execute();
      return withOrigins(db, rows);
    },
    find: ({ spaceId }) => findSpace(db, spaceId),
    change: ({ spaceId }, { name, origins, retention, owned }) =>
      inTransaction(db, async (trx) => {
        if ((await findSpace(trx, spaceId)) === undefined) return undefined;
        const columns = { ...(name === undefined ? {} : { name }), ...retention, ...owned };
        if (Object.keys(columns).length > 0)
          await trx.updateTable('spaces').set(columns).where('id', '=', spaceId).execute();
        if (origins !== undefined) {
          await trx.deleteFrom('space_origins').where('space_id', '=', spaceId).execute();
          await insertOrigins(trx, spaceId, origins);
        }
        const changed = changedMembers({ name, origins, retention, owned });
        if (changed.length > 0)
          await recordAction(trx, {
            action: 'space.changed',
            spaceId,
            resourceId: spaceId,
            details: { changed, ...accessOf(owned) },
          });
        return findSpace(trx, spaceId);
      }),
    remove: async ({ spaceId }, caller) => {
      const confirm = (trx: Database) => confirmOwnerOfSpace(trx, spaceId, caller);
      await removeLinksAndConversations(db, { spaceId, confirm });
      return inTransaction(db, async (trx) => {
        await confirm(trx);
        await keepCreations(trx, sql`space_id = ${spaceId}`);
        const { numDeletedRows } = await trx
          .deleteFrom('spaces')
          .where('id', '=', spaceId)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await trx
          .deleteFrom('idempotent_responses')
          .where('resource_space_id', '=', spaceId)
          .execute();
        await recordAction(trx, { action: 'space.deleted', spaceId, resourceId: spaceId });
        return true;
      });
    },
    origins: async (spaceId) => (await findOrigins({ spaceId })).map((row) => row.origin),
    anyAllows: async (origin) => (await findOrigin({ origin })).length > 0,
  };
}

/** Returns the names of the members of the API that change. */
function changedMembers({ name, origins, retention, owned }: SpaceWrite): string[] {
  const isChanged = {
    name: name !== undefined,
    allowedOrigins: origins !== undefined,
    eventRetention: retention !== undefined,
    permissionFilter: owned.permission_filter !== undefined,
    requireLinkFilter: owned.require_link_filter !== undefined,
    conversationAccess: owned.conversation_access !== undefined,
    conversationEvents: owned.conversation_events !== undefined,
    budget: owned.budget !== undefined,
  };
  return Object.entries(isChanged).flatMap(([member, isGiven]) => (isGiven ? [member] : []));
}

/** Returns the new access to conversations, because the audit must show who gave access to whom. */
function accessOf({ conversation_access: conversationAccess }: OwnedColumns) {
  return conversationAccess === undefined ? {} : { conversationAccess };
}

async function insertOrigins(
  trx: Database,
  spaceId: string,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) return;
  const rows = origins.map((origin, position) => ({ space_id: spaceId, position, origin }));
  await trx.insertInto('space_origins').values(rows).execute();
}

async function findSpace(db: Database, spaceId: string): Promise<StoredSpace | undefined> {
  const rows = await db.selectFrom('spaces').selectAll().where('id', '=', spaceId).execute();
  return (await withOrigins(db, rows))[0];
}

async function withOrigins(
  db: Database,
  spaces: readonly Omit<StoredSpace, 'origins'>[],
): Promise<StoredSpace[]> {
  if (spaces.length === 0) return [];
  const ids = spaces.map((space) => space.id);
  const rows = await db
    .selectFrom('space_origins')
    .select(['space_id', 'origin'])
    .where('space_id', 'in', ids)
    .orderBy('space_id')
    .orderBy('position')
    .execute();
  const originsOf = Map.groupBy(rows, (row) => row.space_id);
  return spaces.map((space) => ({
    ...space,
    origins: (originsOf.get(space.id) ?? []).map((row) => row.origin),
  }));
}
