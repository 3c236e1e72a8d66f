import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting } from './connection.ts';
import { EventLog } from './event-log/event-log.ts';
import { type Failure, toFailure } from './failure.ts';
import { Statements } from './statements.ts';
import type { Job, JobResult, WriterReply, WriterRequest } from './writer-messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const db = openForWriting((workerData as { file: string }).file);
const statements = new Statements(db);
let eventLog: EventLog | null = null;

port.on('message', (request: WriterRequest) => {
  port.postMessage(answer(request));
  if (request.kind === 'close') port.close();
  else scheduleUpkeep();
});

function answer(request: WriterRequest): WriterReply {
  try {
    switch (request.kind) {
      case 'group':
        return runGroup(request.jobs);
      case 'step':
        return {
          ok: true,
          results: [{ ok: true, value: statements.run(request.sql, request.parameters) }],
        };
      case 'open-event-log':
        eventLog = EventLog.open(db);
        return { ok: true, results: [] };
      case 'close':
        db.exec('pragma wal_checkpoint(truncate)');
        db.close();
        return { ok: true, results: [] };
    }
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

/** One transaction, one fsync. A job that breaks a constraint fails alone; a failing disk fails all. */
function runGroup(jobs: readonly Job[]): WriterReply {
  try {
    db.exec('begin immediate');
    const results = jobs.map(runJob);
    db.exec('commit');
    eventLog?.committed();
    return { ok: true, results };
  } catch (error) {
    const failure: Failure = toFailure(error);
    eventLog?.rolledBack();
    // SQLite has already rolled back when the disk is full; asking again would be an error.
    if (db.isTransaction) db.exec('rollback');
    return { ok: false, failure };
  }
}

function runJob(job: Job): JobResult {
  try {
    return {
      ok: true,
      value: job.kind === 'append' ? append(job) : statements.run(job.sql, job.parameters),
    };
  } catch (error) {
    const failure = toFailure(error);
    // An append is several statements: a part of it must not be committed with the rest.
    if (failure.kind === 'unwritable' || job.kind === 'append' || !db.isTransaction) throw error;
    return { ok: false, failure };
  }
}

function append(job: Job & { kind: 'append' }): { stored: number } {
  if (eventLog === null) throw new Error('the event log is not open');
  let stored = 0;
  for (const batch of job.batches) stored += eventLog.append(batch);
  return { stored };
}

let upkeepScheduled = false;

/** Between requests the identity index is kept in shape, a few milliseconds at a time. */
function scheduleUpkeep(): void {
  if (upkeepScheduled || eventLog === null || !eventLog.needsUpkeep) return;
  upkeepScheduled = true;
  setImmediate(() => {
    upkeepScheduled = false;
    // A transaction may be open between two of its steps.
    if (db.isTransaction || !db.isOpen) return;
    try {
      db.exec('begin immediate');
      const done = eventLog?.upkeep();
      db.exec('commit');
      done?.();
      scheduleUpkeep();
    } catch {
      // A full disk: what was begun is undone, and the next request tries again.
      if (db.isTransaction) db.exec('rollback');
    }
  });
}
