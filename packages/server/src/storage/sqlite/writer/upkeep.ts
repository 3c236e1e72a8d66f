import type { DatabaseSync } from 'node:sqlite';
import type { EventLog } from '../event-log/event-log.ts';

/** Of the time that requests take; a merge needs less, so that upkeep never falls behind. */
const SHARE = 0.25;

/**
 * Runs steps of upkeep, each in its own transaction: one, and more while they take less than a share
 * of the time that the request before kept the thread busy. Throws when a step fails; it is undone.
 *
 * @param busy milliseconds.
 */
export function runUpkeep(db: DatabaseSync, eventLog: EventLog, busy: number): void {
  const end = performance.now() + busy * SHARE;
  // What a power cut takes back is done again from the rows, so these commits need no fsync. The
  // next group's has them on disk as well: the log of writes is one, and in order.
  db.exec('pragma synchronous = normal');
  try {
    do runStep(db, eventLog);
    while (eventLog.needsUpkeep && performance.now() < end);
  } finally {
    db.exec('pragma synchronous = full');
  }
}

function runStep(db: DatabaseSync, eventLog: EventLog): void {
  db.exec('begin immediate');
  try {
    const takeEffect = eventLog.upkeep();
    db.exec('commit');
    takeEffect();
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}
