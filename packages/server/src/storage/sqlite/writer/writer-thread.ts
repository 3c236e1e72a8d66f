import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, toError } from '../../../lib/threads/index.ts';
import { openForWriting } from '../connection.ts';
import { EventLog } from '../event-log/event-log.ts';
import { toFailure } from '../failure.ts';
import { Statements } from '../statements.ts';
import { runGroup, type Workplace } from './group.ts';
import { runUpkeep } from './upkeep.ts';
import type { JobResult, WriterMessage, WriterRequest } from './writer-messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const db = openForWriting((workerData as { file: string }).file);
const place: Workplace = { db, statements: new Statements(db), eventLog: null };
/** Why SQLite ended the open transaction by itself; nothing of it may be taken for done. */
let lost: Failure | null = null;

port.on('message', (request: WriterRequest) => {
  const start = performance.now();
  send({ kind: 'reply', reply: answer(request) });
  if (request.kind === 'close') port.close();
  else scheduleUpkeep(performance.now() - start);
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
      return runGroup(place, request.jobs);
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
      place.eventLog = EventLog.open(db);
      return [];
    case 'close':
      close();
      return [];
  }
}

function runStep({ sql, parameters }: WriterRequest & { kind: 'step' }): JobResult {
  // Outside of its transaction a step would be committed by itself.
  if (!db.isTransaction) throw lost === null ? new Error('no transaction is open') : toError(lost);
  try {
    return { ok: true, value: place.statements.run(sql, parameters) };
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
    if (db.isTransaction) db.exec('rollback');
  }
}

function close(): void {
  try {
    db.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The log stays beside the database, and the next start reads it.
  }
  db.close();
}

let upkeepScheduled = false;

/** The identity index is kept in shape between requests; see `runUpkeep`. */
function scheduleUpkeep(busy: number): void {
  if (upkeepScheduled || place.eventLog?.needsUpkeep !== true) return;
  upkeepScheduled = true;
  setImmediate(() => {
    upkeepScheduled = false;
    // A transaction may be open between two of its requests.
    if (!db.isOpen || db.isTransaction || place.eventLog === null) return;
    try {
      runUpkeep(db, place.eventLog, busy);
      scheduleUpkeep(0);
    } catch (error) {
      // The next request tries again; that the disk is full, the requests themselves find out.
      const failure = toFailure(error);
      if (failure.kind !== 'unwritable') send({ kind: 'trouble', failure });
    }
  });
}
