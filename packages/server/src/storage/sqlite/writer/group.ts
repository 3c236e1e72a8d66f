import type { DatabaseSync } from 'node:sqlite';
import type { Appended } from '../../ports/event-store.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { toFailure } from '../failure.ts';
import type { StatementResult, Statements } from '../statements.ts';
import type { Job, JobResult, Statement } from './writer-messages.ts';

/** What the writer thread works on. */
export interface Workplace {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  /** Null until the schema is up to date. */
  eventLog: EventLog | null;
}

/**
 * Runs jobs in one transaction with one fsync; gives a result for each. A statement that breaks a
 * constraint fails alone, a failing disk fails all. Should a job spoil the group in any other way,
 * the jobs are run again one by one, so that it fails nobody else.
 */
export function runGroup(place: Workplace, jobs: readonly Job[]): JobResult[] {
  try {
    return commitGroup(place, jobs);
  } catch (error) {
    const failure = toFailure(error);
    if (jobs.length === 1 || failure.kind === 'unwritable')
      return jobs.map(() => ({ ok: false, failure }));
    return jobs.flatMap((job) => runGroup(place, [job]));
  }
}

function commitGroup(place: Workplace, jobs: readonly Job[]): JobResult[] {
  const { db, eventLog } = place;
  db.exec('begin immediate');
  try {
    const results = jobs.map((job) => runJob(place, job));
    db.exec('commit');
    eventLog?.committed();
    return results;
  } catch (error) {
    eventLog?.rolledBack();
    // When the disk is full SQLite has already rolled back; asking again would be an error.
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

function runJob(place: Workplace, job: Job): JobResult {
  if (job.kind === 'append') return { ok: true, value: append(place, job) };
  try {
    const value =
      job.kind === 'together'
        ? runTogether(place, job.statements)
        : place.statements.run(job.sql, job.parameters);
    return { ok: true, value };
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind === 'unwritable' || !place.db.isTransaction) throw error;
    return { ok: false, failure };
  }
}

/** Undoes all of them when one fails; the group goes on. */
function runTogether({ db, statements }: Workplace, all: readonly Statement[]): StatementResult {
  let changes = 0;
  db.exec('savepoint together');
  try {
    for (const { sql, parameters } of all) changes += statements.run(sql, parameters).changes;
    db.exec('release together');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback to together; release together');
    throw error;
  }
  return { rows: [], changes, insertId: null };
}

/** Several statements: a part of them must not be committed, so it throws and ends the group. */
function append({ eventLog }: Workplace, job: Job & { kind: 'append' }): Appended {
  if (eventLog === null) throw new Error('the event log is not open');
  let stored = 0;
  for (const batch of job.batches) stored += eventLog.append(batch);
  return { stored };
}
