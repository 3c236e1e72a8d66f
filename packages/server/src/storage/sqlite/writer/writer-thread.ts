import { parentPort, workerData } from 'node:worker_threads';
import { releaseBytes } from '../../../lib/memory/index.ts';
import { type Failure, toError } from '../../../lib/threads/index.ts';
import type { Appended } from '../../ports/event-store.ts';
import { openForWriting } from '../connection.ts';
import { EventLog } from '../event-log/event-log.ts';
import { type StatementResult, Statements, toFailure } from '../statements.ts';
import { DurableLog } from './durable-log.ts';
import { Overwriting } from './overwriting.ts';
import type {
  Job,
  JobResult,
  Statement,
  WriterData,
  WriterMessage,
  WriterRequest,
} from './writer-messages.ts';

/** Maximum time of maintenance, as a share of request time. Merges need a smaller share, so maintenance never falls behind. */
const MAINTENANCE_SHARE = 0.25;
/** Groups after a failed job that run with a savepoint per job. A failure then costs at most one group per this number. */
const GUARDED_GROUPS = 64;

const port = parentPort;
if (port === null) throw new Error('writer-thread.ts must run as a worker thread');

const { file, fd } = workerData as WriterData;
const db = openForWriting(file);
const statements = new Statements(db);
const log = new DurableLog(db);
const overwriting = fd === null ? null : new Overwriting(db, file, fd);
const NOTHING: StatementResult = { rows: [], changes: 0, insertId: null };
/** Null until the schema is up to date. */
let eventLog: EventLog | null = null;
/** Failure that made SQLite roll back the open transaction, such as a full disk. */
let rollbackFailure: Failure | null = null;
let maintenanceScheduled = false;
/** Groups that still run with a savepoint per job, because a job of an earlier group failed. */
let guardedGroups = 0;

port.on('message', (request: WriterRequest) => {
  const start = performance.now();
  send({ kind: 'reply', reply: answer(request) });
  if (request.kind === 'group') for (const job of request.jobs) releaseJob(job);
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
      rollbackFailure = null;
      log.ensure();
      db.exec('begin immediate');
      return [];
    case 'step':
      return [runStep(request)];
    case 'end':
      endTransaction(request.action);
      return [];
    case 'open-event-log':
      eventLog = EventLog.open(db);
      ensureEarly();
      overwriting?.start();
      return [];
    case 'close':
      close();
      return [];
  }
}

/**
 * Runs jobs in one transaction with one fsync. Returns one result per job. A job that violates a constraint fails
 * without affecting other jobs. A disk failure fails all jobs. After any other failure, the jobs run again in separate
 * transactions, so that only the invalid job fails.
 *
 * A savepoint per job would copy every page that the job changes, so the jobs run without savepoints until one of them fails. The
 * group is then rolled back and runs again with savepoints, and so do the next groups, because a client may cause many failures.
 */
function runGroup(jobs: readonly Job[]): JobResult[] {
  if (guardedGroups === 0) {
    try {
      return commitGroup(jobs, false);
    } catch (error) {
      if (toFailure(error).kind === 'unwritable' || jobs.length === 1) return failed(jobs, error);
      guardedGroups = GUARDED_GROUPS;
    }
  } else guardedGroups -= 1;
  try {
    return commitGroup(jobs, true);
  } catch (error) {
    if (toFailure(error).kind === 'unwritable' || jobs.length === 1) return failed(jobs, error);
    return jobs.flatMap((job) => runGroup([job]));
  }
}

function failed(jobs: readonly Job[], error: unknown): JobResult[] {
  const failure = toFailure(error);
  return jobs.map(() => ({ ok: false, failure }));
}

function commitGroup(jobs: readonly Job[], isGuarded: boolean): JobResult[] {
  log.ensure();
  db.exec('begin immediate');
  try {
    const results = jobs.map((job) => runJob(job, isGuarded));
    db.exec('commit');
    eventLog?.committed();
    return results;
  } catch (error) {
    log.failed(error);
    eventLog?.rolledBack();
    rollBack();
    throw error;
  }
}

/** Makes the log of the previous process durable. On a full disk, the next write tries again. */
function ensureEarly(): void {
  try {
    log.ensure();
  } catch (error) {
    log.failed(error);
  }
}

function runJob(job: Job, isGuarded: boolean): JobResult {
  if (job.kind === 'append') return { ok: true, value: append(job) };
  if (!isGuarded) return { ok: true, value: runStatements(job) };
  try {
    const value =
      job.kind === 'statement' ? runStatements(job) : inSavepoint(() => runStatements(job));
    return { ok: true, value };
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind === 'unwritable' || !db.isTransaction) throw error;
    return { ok: false, failure };
  }
}

function runStatements(job: Exclude<Job, { kind: 'append' }>): StatementResult {
  switch (job.kind) {
    case 'statement':
      return run(job);
    case 'atomic':
      return runAtomically(job.statements);
    case 'conditional':
      return runIf(job.condition, job.statements);
  }
}

/** Returns a result without changes if the condition neither changes nor returns a row. */
function runIf(condition: Statement, statements: readonly Statement[]): StatementResult {
  const { changes, rows } = run(condition);
  const found = changes + rows.length;
  if (found > 0) for (const statement of statements) run(statement);
  return { ...NOTHING, changes: found };
}

function runAtomically(statements: readonly Statement[]): StatementResult {
  let changes = 0;
  for (const statement of statements) changes += run(statement).changes;
  return { ...NOTHING, changes };
}

function inSavepoint<Result>(work: () => Result): Result {
  db.exec('savepoint job');
  try {
    const result = work();
    db.exec('release job');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('rollback to job; release job');
    throw error;
  }
}

/** Appends batches. A failure must roll back the whole group, because the batches of a job are atomic. */
function append(job: Job & { kind: 'append' }): Appended {
  if (eventLog === null) throw new Error('the event log is not open; send `open-event-log` first');
  let stored = 0;
  for (const batch of job.batches) stored += eventLog.append(batch);
  return { stored };
}

function run({ sql, parameters }: Statement): StatementResult {
  const result = statements.run(sql, parameters);
  if (result.changes > 0 || result.rows.length > 0) overwriting?.note(sql);
  return result;
}

function runStep(statement: Statement): JobResult {
  // Without this check, SQLite would commit the statement in its own transaction.
  if (!db.isTransaction)
    throw rollbackFailure === null ? new Error('no transaction is open') : toError(rollbackFailure);
  try {
    return { ok: true, value: run(statement) };
  } catch (error) {
    log.failed(error);
    if (!db.isTransaction) rollbackFailure = toFailure(error);
    throw error;
  } finally {
    releaseParameters(statement);
  }
}

/** Releases the bytes of an original that was stored with its document. */
function releaseJob(job: Job): void {
  if (job.kind === 'conditional') job.statements.forEach(releaseParameters);
}

/** SQLite has copied the bytes. Without an immediate release, a large upload would raise memory use. */
function releaseParameters({ parameters }: Statement): void {
  for (const value of parameters) if (value instanceof Uint8Array) releaseBytes(value);
}

function endTransaction(action: 'commit' | 'rollback'): void {
  if (action === 'commit' && rollbackFailure !== null) throw toError(rollbackFailure);
  try {
    if (action === 'commit') db.exec('commit');
  } catch (error) {
    log.failed(error);
    throw error;
  } finally {
    rollBack();
  }
}

/** Rolls back, unless SQLite has already rolled back the transaction, for example because the disk is full. */
function rollBack(): void {
  if (db.isTransaction) db.exec('rollback');
}

function close(): void {
  overwriting?.stop();
  try {
    db.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The next start recovers the remaining write-ahead log.
  }
  db.close();
}

function scheduleMaintenance(busyMs: number): void {
  if (maintenanceScheduled || eventLog?.needsMaintenance !== true) return;
  maintenanceScheduled = true;
  setImmediate(() => {
    maintenanceScheduled = false;
    // An interactive transaction may be open between two requests.
    if (!db.isOpen || db.isTransaction || eventLog === null) return;
    try {
      maintain(eventLog, busyMs);
      scheduleMaintenance(0);
    } catch (error) {
      // The next request schedules maintenance again. Requests report an unwritable disk themselves.
      const failure = toFailure(error);
      if (failure.kind !== 'unwritable') send({ kind: 'background-failure', failure });
    }
  });
}

/**
 * Runs at least one maintenance step, and more steps until `MAINTENANCE_SHARE` of the last request's time has passed. Each
 * step is a transaction. Throws after rolling back a failed step.
 */
function maintain(events: EventLog, busyMs: number): void {
  const end = performance.now() + busyMs * MAINTENANCE_SHARE;
  // These commits need no fsync: after a power failure, the steps are repeated from the rows. The fsync of the next
  // group also makes them durable, because the write-ahead log is written in order.
  db.exec('pragma synchronous = normal');
  try {
    do maintainOnce(events);
    while (events.needsMaintenance && performance.now() < end);
  } finally {
    db.exec('pragma synchronous = full');
  }
}

function maintainOnce(events: EventLog): void {
  db.exec('begin immediate');
  try {
    const apply = events.maintain();
    db.exec('commit');
    apply();
  } catch (error) {
    log.failed(error);
    rollBack();
    throw error;
  }
}
