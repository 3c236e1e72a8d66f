import type { DocumentChange } from '../../../in-memory/index.ts';
import type { Session } from '../../pool.ts';

/** Number of changes that remain in the log when it is trimmed. */
const MAX_CHANGES = 100_000;

interface Head {
  /** The server process and the database to which the numbers of transactions belong. */
  readonly server: string;
  /** A `pg_snapshot`. */
  readonly snapshot: string;
}

/**
 * Reads the log of document changes. Triggers write the log in the transaction that changes a document.
 *
 * Transactions do not commit in the order in which they write, so a reader that remembered its position in the log would miss changes.
 * Each change therefore contains the number of its transaction. A reader remembers the snapshot of its last read. The next read returns
 * the changes whose transactions are not in that snapshot. Together, the reads return each change exactly once.
 */
export class ChangeLog {
  #last: Head | null = null;

  /**
   * Returns the changes that the snapshot of the session's transaction contains and the snapshot of the last call did not contain.
   * Returns `null` if some of them were trimmed, or if the numbers of transactions belong to another server, for example after a
   * failover. The isolation level of the transaction must be `repeatable read`.
   */
  async next(session: Session): Promise<readonly DocumentChange[] | null> {
    const snapshot = this.#last?.snapshot ?? null;
    const { rows } = await session.run(SELECT_CHANGES, [snapshot], { often: true });
    const before = this.#last;
    const server = String(rows[0]?.['server']);
    this.#last = { server, snapshot: String(rows[0]?.['snapshot']) };
    if (before === null) return [];
    if (before.server !== server || rows.some((row) => row['isGap'] === true)) return null;
    return rows.flatMap(({ spaceId, number, reindexed }) =>
      typeof number === 'number'
        ? [{ spaceId: String(spaceId), number, reindexed: reindexed === true }]
        : [],
    );
  }
}

/**
 * Returns at least one row. All transactions before the `xmin` of a snapshot are in the snapshot, so the index excludes most of the
 * log. After a restore from a dump, the log can contain transaction numbers that this server has not assigned yet. They are ignored.
 */
const SELECT_CHANGES = `
  select head.snapshot::text as snapshot, head.server, changes.space_id as "spaceId", changes.number, changes.reindexed,
    changes.trimmed_through >= pg_snapshot_xmin($1::pg_snapshot) as "isGap"
  from (
    select pg_current_snapshot() as snapshot,
      concat(extract(epoch from pg_postmaster_start_time()), '/', oid) as server
    from pg_database where datname = current_database()
    offset 0
  ) as head
  left join lateral (
    select space_id, number, reindexed, trimmed_through from document_changes
    where xact >= pg_snapshot_xmin($1::pg_snapshot) and xact < pg_snapshot_xmax(head.snapshot)
      and not pg_visible_in_snapshot(xact, $1::pg_snapshot)
    offset 0
  ) as changes on true`;

/**
 * Removes the oldest changes and logs the removal as a row without a document number. `trimmed_through` is the highest removed
 * transaction. A reader that finds a new row of this kind may have missed removed changes, unless all transactions up to
 * `trimmed_through` had ended before its last snapshot.
 */
export const TRIM_CHANGES = `
  with boundary as (
    select xact from document_changes
    where xact < pg_snapshot_xmax(pg_current_snapshot())
    order by xact desc offset ${MAX_CHANGES} limit 1
  ), removed as (
    delete from document_changes
    where xact <= (select xact from boundary) or xact >= pg_snapshot_xmax(pg_current_snapshot())
    returning 1
  )
  insert into document_changes (space_id, trimmed_through)
  select '', xact from boundary where exists (select from removed)`;
