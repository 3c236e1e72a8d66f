import { realpathSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { releaseBytes } from '../../../lib/memory/index.ts';
import { type Failure, toError } from '../../../lib/threads/index.ts';
import { openForWriting } from '../connection.ts';
import { EventLog } from '../event-log/event-log.ts';
import { type StatementResult, Statements, toFailure } from '../statements.ts';
import { DurableLog } from './durable-log.ts';
import { Groups } from './groups.ts';
import { Overwriting } from './overwriting.ts';
import { createAssertInPlace } from './replaced-files.ts';
import type {
  Group,
  Statement,
  Write,
  WriteResult,
  WriterData,
  WriterMessage,
  WriterReply,
  WriterRequest,
} from './writer-messages.ts';

/** Maximum time of maintenance, as a share of request time. Merges need a smaller share, so maintenance never falls behind. */
const MAINTENANCE_SHARE = 0.25;

const port = parentPort;
if (port === null) throw new Error('writer-thread.ts must run as a worker thread');

const { file: given, fd } = workerData as WriterData;
const db = openForWriting(given);
/** The database file. SQLite creates its other files beside the target of a symbolic link. */
const file = realpathSync(given);
const statements = new Statements(db);
/** Without a descriptor, this thread belongs to an operator command. */
const owner =
  fd === null
    ? null
    : {
        fd,
        onLost: (error: Error) => send({ kind: 'death', failure: toFailure(error) }),
        onCopied,
      };
const log = new DurableLog(db, file, owner);
const overwriting = fd === null ? null : new Overwriting({ db, file, fd, log });
const assertInPlace = fd === null ? null : createAssertInPlace(file, fd, () => log.pages > 0);
/** Null until the schema is up to date. */
let eventLog: EventLog | null = null;
/** Failure that made SQLite roll back the open transaction, such as a full disk. */
let rollbackFailure: Failure | null = null;
let maintenanceScheduled = false;
let checkpointsFail = false;
/** Request that arrived during a group and cannot be part of it. */
let postponed: WriterRequest | null = null;
/** The last request, if it waits for a checkpoint in another thread. */
let lastRequest: WriterRequest | null = null;
const groups = new Groups({ db, log, eventLog: () => eventLog, run, nextGroup });

port.on('message', (request: WriterRequest) => {
  let next: WriterRequest | null = request;
  while (next !== null) {
    handle(next);
    next = postponed;
    postponed = null;
  }
});

function handle(request: WriterRequest): void {
  if (request.kind === 'close' && log.isCopying) {
    lastRequest = request;
    return;
  }
  if (request.kind !== 'close' && !areFilesInPlace()) return;
  const start = performance.now();
  if (request.kind === 'group') executeGroups(request);
  else sendReply(answer(request));
  if (request.kind === 'close') {
    port?.close();
    return;
  }
  const busyMs = performance.now() - start;
  checkpoint();
  scheduleMaintenance(busyMs);
}

/** Returns `false` if the files of the database were replaced. All requests fail then, and the process must end. Does nothing in a transaction. */
function areFilesInPlace(): boolean {
  if (db.isTransaction) return true;
  try {
    assertInPlace?.();
    return true;
  } catch (error) {
    send({ kind: 'death', failure: toFailure(error) });
    return false;
  }
}

/** Runs a checkpoint if one is due. */
function checkpoint(): void {
  log.tryToEnsure();
  try {
    if (log.checkpoint(groups.commitMs)) checkpointsFail = false;
  } catch (error) {
    checkpointFailed(error);
  }
}

/** Reports only the first of several failures. */
function checkpointFailed(error: unknown): void {
  if (!checkpointsFail) send({ kind: 'background-failure', failure: toFailure(error) });
  checkpointsFail = true;
}

function onCopied(error: unknown): void {
  if (error === null) checkpointsFail = false;
  else checkpointFailed(error);
  if (lastRequest === null) checkpoint();
  else handle(lastRequest);
}

/** Executes a group and the groups that arrive before its commit. */
function executeGroups(first: Group): void {
  const executed = [first];
  for (const results of groups.execute(executed)) sendReply(succeeded(results));
  for (const { writes } of executed) for (const write of writes) releaseWrite(write);
}

/** Takes the next request from the port if it is a group. Another request is handled after the running group. */
function nextGroup(): Group | null {
  if (port === null || postponed !== null) return null;
  const received = receiveMessageOnPort(port) as { message: WriterRequest } | undefined;
  if (received === undefined) return null;
  if (received.message.kind === 'group') return received.message;
  postponed = received.message;
  return null;
}

function send(message: WriterMessage): void {
  port?.postMessage(message);
}

function sendReply(reply: WriterReply): void {
  send({ kind: 'reply', reply });
}

function answer(request: Exclude<WriterRequest, Group>): WriterReply {
  try {
    return succeeded(perform(request));
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

function succeeded(results: readonly WriteResult[]): WriterReply {
  return { ok: true, results, commitMs: groups.commitMs };
}

function perform(request: Exclude<WriterRequest, Group>): WriteResult[] {
  switch (request.kind) {
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
      log.tryToEnsure();
      overwriting?.start();
      return [];
    case 'close':
      close();
      return [];
  }
}

function run({ sql, parameters }: Statement): StatementResult {
  const result = statements.run(sql, parameters);
  if (result.changes > 0 || result.rows.length > 0) overwriting?.note(sql);
  return result;
}

function runStep(statement: Statement): WriteResult {
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
function releaseWrite(write: Write): void {
  if (write.kind === 'conditional') write.statements.forEach(releaseParameters);
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
  log.stopCopying();
  try {
    overwriting?.stop();
  } finally {
    log.close();
  }
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
  if (!log.isCopying) db.exec('pragma synchronous = normal');
  try {
    do maintainOnce(events);
    while (events.needsMaintenance && performance.now() < end);
  } finally {
    db.exec('pragma synchronous = full');
  }
  checkpoint();
}

function maintainOnce(events: EventLog): void {
  log.ensure();
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
