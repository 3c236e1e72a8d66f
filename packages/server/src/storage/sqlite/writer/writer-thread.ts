import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, toError } from '../../../lib/threads/index.ts';
import type { Appended } from '../../ports/event-store.ts';
import { openForWriting } from '../connection.ts';
import { EventLog } from '../event-log/event-log.ts';
import { type StatementResult, Statements, toFailure } from '../statements.ts';
import type { Job, JobResult, Statement, WriterMessage, WriterRequest } from './writer-messages.ts';

/** Share of the time of requests that maintenance may take. A merge needs less, so maintenance never falls behind. */
const MAINTENANCE_SHARE = 0.25;

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const db = openForWriting((workerData as { file: string }).file);
const statements = new Statements(db);
/** Null until the schema is up to date. */
let eventLog: EventLog | null = null;
/** Why SQLite rolled back the open transaction by itself. */
let lost: Failure | null = null;
let maintenanceScheduled = false;

port.on('message', (request: WriterRequest) => {
  const start = performance.now();
  send({ kind: 'reply', reply: answer(request) });
  if (request.kind === 'close') port.close();
  else scheduleMaintenance(performance.now() - start);
});

function send(message: WriterMessage): void {
  port?.postMessage(message);
}

function answer(request: WriterRequest): (WriterMessage & { kind: 'reply' })['reply'] {
  try {
    return { ok: true, results: perform(request) };
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

function perform(request: WriterRequest): JobResult[] {
  switch (request.kind) {
    case 'group':
      return runGroup(request.jobs);
    case 'begin':
      lost = null;
      db.exec('begin immediate');
      return [];
    case 'step':
      return [runStep(request)];
    case 'end':
      endTransaction(request.word);
      return [];
    case 'open-event-log':
      eventLog = EventLog.open(db);
      return [];
    case 'close':
      close();
      return [];
  }
}

/**
 * Runs jobs in one transaction with one fsync and returns a result for each. A statement that violates a constraint
 * fails alone; if the disk fails, all jobs fail. If a job breaks the group in any other way, the jobs run again one
 * by one, so that only that job fails.
 */
function runGroup(jobs: readonly Job[]): JobResult[] {
  try {
    return commitGroup(jobs);
  } catch (error) {
    const failure = toFailure(error);
    if (jobs.length === 1 || failure.kind === 'unwritable')
      return jobs.map(() => ({ ok: false, failure }));
    return jobs.flatMap((job) => runGroup([job]));
  }
}

function commitGroup(jobs: readonly Job[]): JobResult[] {
  db.exec('begin immediate');
  try {
    const results = jobs.map(runJob);
    db.exec('commit');
    eventLog?.committed();
    return results;
  } catch (error) {
    eventLog?.rolledBack();
    rollBack();
    throw error;
  }
}

function runJob(job: Job): JobResult {
  if (job.kind === 'append') return { ok: true, value: append(job) };
  try {
    const value =
      job.kind === 'atomic'
        ? runAtomically(job.statements)
        : statements.run(job.sql, job.parameters);
    return { ok: true, value };
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind === 'unwritable' || !db.isTransaction) throw error;
    return { ok: false, failure };
  }
}

/** Runs statements atomically inside the group's transaction. */
function runAtomically(all: readonly Statement[]): StatementResult {
  let changes = 0;
  db.exec('savepoint atomic');
  try {
    for (const { sql, parameters } of all) changes += statements.run(sql, parameters).changes;
    db.exec('release atomic');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback to atomic; release atomic');
    throw error;
  }
  return { rows: [], changes, insertId: null };
}

/** Throws, and so ends the group, if any of its statements fails: none of them may be committed without the others. */
function append(job: Job & { kind: 'append' }): Appended {
  if (eventLog === null) throw new Error('the event log is not open');
  let stored = 0;
  for (const batch of job.batches) stored += eventLog.append(batch);
  return { stored };
}

function runStep({ sql, parameters }: Statement): JobResult {
  // Outside of its transaction the statement would be committed by itself.
  if (!db.isTransaction) throw lost === null ? new Error('no transaction is open') : toError(lost);
  try {
    return { ok: true, value: statements.run(sql, parameters) };
  } catch (error) {
    if (!db.isTransaction) lost = toFailure(error);
    throw error;
  }
}

function endTransaction(word: 'commit' | 'rollback'): void {
  if (word === 'commit' && lost !== null) throw toError(lost);
  try {
    if (word === 'commit') db.exec('commit');
  } finally {
    rollBack();
  }
}

/** Rolls back, unless SQLite has done so itself, as it does when the disk is full. */
function rollBack(): void {
  if (db.isTransaction) db.exec('rollback');
}

function close(): void {
  try {
    db.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The write-ahead log remains, and the next start reads it.
  }
  db.close();
}

/** Maintains the identity index between requests. */
function scheduleMaintenance(busyMs: number): void {
  if (maintenanceScheduled || eventLog?.needsMaintenance !== true) return;
  maintenanceScheduled = true;
  setImmediate(() => {
    maintenanceScheduled = false;
    // A transaction may be open between two of its requests.
    if (!db.isOpen || db.isTransaction || eventLog === null) return;
    try {
      maintain(eventLog, busyMs);
      scheduleMaintenance(0);
    } catch (error) {
      // The next request retries. Requests report a full disk themselves.
      const failure = toFailure(error);
      if (failure.kind !== 'unwritable') send({ kind: 'trouble', failure });
    }
  });
}

/**
 * Runs maintenance steps, each in its own transaction: one, and more while they take less than a share of the time
 * that the last request took. Throws if a step fails; that step is rolled back.
 */
function maintain(log: EventLog, busyMs: number): void {
  const end = performance.now() + busyMs * MAINTENANCE_SHARE;
  // These commits need no fsync: after a power cut the steps are repeated from the rows. The next group's fsync
  // covers them as well, because the write-ahead log is written in order.
  db.exec('pragma synchronous = normal');
  try {
    do maintainOnce(log);
    while (log.needsMaintenance && performance.now() < end);
  } finally {
    db.exec('pragma synchronous = full');
  }
}

function maintainOnce(log: EventLog): void {
  db.exec('begin immediate');
  try {
    const takeEffect = log.maintain();
    db.exec('commit');
    takeEffect();
  } catch (error) {
    rollBack();
    throw error;
  }
}
