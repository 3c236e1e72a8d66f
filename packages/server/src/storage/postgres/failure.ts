import pg from 'pg';
import {
  NullViolation,
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
  UniqueViolation,
} from '../../lib/threads/index.ts';
import { LeaseLost } from '../ports/leases.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const NOT_NULL_VIOLATION = '23502';
const UNIQUE_VIOLATION = '23505';
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
const READ_ONLY_TRANSACTION = '25006';
/** Only lease fences divide by zero; see `leases/lease-table.ts`. */
const DIVISION_BY_ZERO = '22012';
const SERIALISATION: ReadonlySet<string> = new Set(['40001', '40P01']);
/**
 * Codes and code prefixes of temporary failures: the server is unreachable, shutting down or full, or a lock timeout expired.
 */
const UNAVAILABLE = ['08', '53', '58', '57P', '25P03', LOCK_NOT_AVAILABLE, '40003'];

/** Thrown when no connection was established, so the statement was never sent. */
export class Unreachable extends StorageUnavailable {
  constructor(cause: unknown) {
    super('unwritable', { cause });
  }
}

/** Thrown when the session accepts no writes: the server is a standby, or the default of the session is read-only. */
export class ReadOnlySession extends StorageUnavailable {
  constructor(cause: unknown) {
    super('unwritable', { cause });
  }
}

/** Converts an error of the client or the server to the matching error of the storage ports. */
export function toError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return fromServer(error);
  return isConnectionFailure(error)
    ? new StorageUnavailable('unwritable', { cause: error })
    : error;
}

function fromServer(error: pg.DatabaseError): Error {
  const { code = '', message } = error;
  if (code === UNIQUE_VIOLATION) return new UniqueViolation(message, { cause: error });
  if (code === NOT_NULL_VIOLATION) return new NullViolation(message, { cause: error });
  if (code === DIVISION_BY_ZERO) return new LeaseLost();
  if (code === READ_ONLY_TRANSACTION) return new ReadOnlySession(error);
  if (code === QUERY_CANCELED) return new StorageTooSlow();
  if (SERIALISATION.has(code)) return new SerialisationFailure(message, { cause: error });
  if (UNAVAILABLE.some((prefix) => code.startsWith(prefix)))
    return new StorageUnavailable('unwritable', { cause: error });
  return error;
}

export function isLockTimeout(error: unknown): boolean {
  return (
    error instanceof StorageUnavailable &&
    error.cause instanceof pg.DatabaseError &&
    error.cause.code === LOCK_NOT_AVAILABLE
  );
}

/** Reports whether the client stopped waiting for a statement, which may still be running. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Reports whether the connection failed. In this case the statement may have been executed. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P)/.test(error.code ?? '');
  const { code, message = '' } = error as { code?: string; message?: string };
  return (
    /^(E[A-Z]+|ERR_(SSL|TLS|SOCKET|STREAM)\w*)$/.test(code ?? '') ||
    /^(Connection terminated|Query read timeout|timeout e|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after|the connection was given up)/.test(
      message,
    )
  );
}
