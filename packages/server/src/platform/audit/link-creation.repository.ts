import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import {
  type AuditRow,
  type Database,
  inTransaction,
  type LinkRow,
} from '../../storage/ports/index.ts';
import { currentOrigin } from './origin.ts';

/** The columns of a link that record its creation. */
export type LinkCreation = Pick<
  Selectable<LinkRow>,
  'creator_kind' | 'creator_id' | 'creator_session' | 'creator_address' | 'has_permission_filter'
>;

/** The columns of a link whose creation is not recorded in its row. */
export const NO_CREATION: LinkCreation = {
  creator_kind: null,
  creator_id: null,
  creator_session: null,
  creator_address: null,
  has_permission_filter: null,
};

/**
 * Returns the columns that record the creation of a link in its own row, because a second row would take half as long as the link. The audit
 * shows such a link as an entry whose ID is the ID of the link.
 */
export function linkCreation({
  hasPermissionFilter,
}: {
  readonly hasPermissionFilter: boolean;
}): LinkCreation {
  const origin = currentOrigin();
  if (origin === null) return NO_CREATION;
  const { actor, address } = origin;
  return {
    creator_kind: actor.kind,
    creator_id: actor.id,
    creator_session: actor.sessionId,
    creator_address: address,
    has_permission_filter: hasPermissionFilter ? 1 : 0,
  };
}

/** The columns of an audit entry and their values in the row of a link. */
const ENTRY = {
  id: 'id',
  at: 'created_at',
  action: "'link.created'",
  actor_kind: 'creator_kind',
  actor_id: 'creator_id',
  session_id: 'creator_session',
  address: 'creator_address',
  resource_space_id: 'space_id',
  resource_id: 'id',
  sub: 'sub',
  details: `case has_permission_filter when 1 then '{"hasPermissionFilter":true}' else '{"hasPermissionFilter":false}' end`,
} as const satisfies Record<keyof AuditRow, string>;

const NAMES = Object.keys(ENTRY);
const VALUES = Object.values(ENTRY);

/** Name of the fact that no link up to this ID records its creation. */
const FORGOTTEN = 'link-creations-forgotten';
const MAX_CHANGED_AT_ONCE = 1000;

/** Condition that excludes links that surely do not record their creation, so that lists need not read them. */
export const mayRecordCreation = sql<SqlBool>`links.id > coalesce(
  (select value from installation where name = ${sql.lit(FORGOTTEN)}), '')`;

/** Returns the recorded creations of some links as audit entries. */
export function selectCreations(db: Database) {
  const columns = Object.entries(ENTRY).map(([name, value]) =>
    sql.raw<unknown>(value).as(name as keyof AuditRow),
  );
  return db
    .selectFrom('links')
    .where('creator_kind', 'is not', null)
    .select(columns)
    .$castTo<AuditRow>();
}

/**
 * Copies the recorded creations of some links to the audit. Delete the links in the same transaction, or set their columns to
 * `NO_CREATION`.
 */
export async function keepCreations<Tables>(
  trx: Kysely<Tables>,
  ofLinks: ReturnType<typeof sql<SqlBool>>,
): Promise<void> {
  await sql`insert into audit_entries (${sql.raw(NAMES.join(', '))})
    select ${sql.raw(VALUES.join(', '))} from links where creator_kind is not null and ${ofLinks}`.execute(
    trx,
  );
}

/** Removes some recorded creations of links with IDs less than `before`. Returns `false` if none remain. */
export async function forgetSomeCreations(db: Database, before: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const links = await trx
      .selectFrom('links')
      .where(mayRecordCreation)
      .where('id', '<', before)
      .select(['id', 'creator_kind'])
      .orderBy('id')
      .limit(MAX_CHANGED_AT_ONCE)
      .execute();
    const last = links.at(-1);
    if (last === undefined) return false;
    const recorded = links.filter((link) => link.creator_kind !== null).map(({ id }) => id);
    if (recorded.length > 0)
      await trx.updateTable('links').set(NO_CREATION).where('id', 'in', recorded).execute();
    await trx
      .insertInto('installation')
      .values({ name: FORGOTTEN, value: last.id })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: last.id }))
      .execute();
    return true;
  });
}
