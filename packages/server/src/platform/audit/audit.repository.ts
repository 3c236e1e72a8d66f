import { randomUUIDv7 } from 'node:crypto';
import type { AuditAction } from '@gatehouse/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  type AuditRow,
  type Database,
  prepareWrite,
  type Write,
} from '../../storage/ports/index.ts';
import { currentOrigin } from './origin.ts';

/** Something that happened. Contains no secret and no text of a document or conversation. */
export interface AuditFact {
  readonly action: AuditAction;
  /** Space of the resource. Null for the installation. */
  readonly spaceId: string | null;
  /** Null for several resources, or for the installation. */
  readonly resourceId: string | number | null;
  /** The `sub` of the person whom the action concerns. */
  readonly sub?: string | null;
  /** Further facts, such as the names of changed members, a role or a count. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const COLUMNS = [
  'id',
  'at',
  'action',
  'actor_kind',
  'actor_id',
  'session_id',
  'address',
  'resource_space_id',
  'resource_id',
  'sub',
  'details',
] as const satisfies readonly (keyof AuditRow)[];

/**
 * Records an action in the transaction that carries it out, so that a crash keeps either both or neither. Has no effect outside of
 * a request or command: background jobs are not audited, because they only continue what a request began.
 *
 * @example
 * await inTransaction(db, async (trx) => {
 *   await trx.deleteFrom('links').where('space_id', '=', spaceId).where('id', '=', id).execute();
 *   await recordAction(trx, { action: 'link.revoked', spaceId, resourceId: id });
 * });
 */
export async function recordAction<Tables>(trx: Kysely<Tables>, fact: AuditFact): Promise<void> {
  const row = rowOf(fact);
  if (row !== null) await insert(trx, row);
}

/** Records a read like `recordAction`, but throws outside of a request or command, because no such read may remain unrecorded. */
export async function recordRead<Tables>(trx: Kysely<Tables>, fact: AuditFact): Promise<void> {
  const row = rowOf(fact);
  if (row === null) throw new Error(`${fact.action} has no origin that the audit could record`);
  await insert(trx, row);
}

/** Returns the writes of `recordAction`, for a transaction in one round trip. */
export function actionWrites<Tables>(db: Kysely<Tables>, fact: AuditFact): readonly Write[] {
  const row = rowOf(fact);
  return row === null ? [] : [{ compile: () => insertOf(row).compile(db) }];
}

async function insert<Tables>(trx: Kysely<Tables>, row: Row): Promise<void> {
  await insertOf(row).execute(trx);
}

function insertOf(row: Row): RawBuilder<unknown> {
  const names = COLUMNS.map((name) => sql.ref(name));
  const values = COLUMNS.map((name) => sql`${row[name]}`);
  return sql`insert into audit_entries (${sql.join(names)}) values (${sql.join(values)})`;
}

type Row = { [Name in (typeof COLUMNS)[number]]: AuditRow[Name] };

/**
 * Returns a function like `recordAction` that returns the writes instead of running them. It records actions that happen once per
 * resource. A unique index detects repetitions.
 */
export function prepareFirstAction(db: Database): (fact: AuditFact) => readonly Write[] {
  const prepared = prepareWrite((row: Row) =>
    db
      .insertInto('audit_entries')
      .values(Object.fromEntries(COLUMNS.map((name) => [name, row[name]])) as unknown as AuditRow)
      .onConflict((conflict) => conflict.doNothing()),
  );
  return (fact) => {
    const row = rowOf(fact);
    return row === null ? [] : [prepared(row)];
  };
}

function rowOf({ action, spaceId, resourceId, sub = null, details }: AuditFact): Row | null {
  const origin = currentOrigin();
  if (origin === null) return null;
  const { actor, address } = origin;
  return {
    id: randomUUIDv7(),
    at: Date.now(),
    action,
    actor_kind: actor.kind,
    actor_id: actor.id,
    session_id: actor.sessionId,
    address,
    resource_space_id: spaceId,
    resource_id: resourceId === null ? null : String(resourceId),
    sub,
    details: details === undefined ? null : JSON.stringify(details),
  };
}
