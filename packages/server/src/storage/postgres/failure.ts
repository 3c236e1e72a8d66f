import pg from 'pg';
import {
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
  UniqueViolation,
} from '../../lib/threads/index.ts';
import { LeaseLost } from '../ports/leases.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const UNIQUE_VIOLATION = '23505';
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
/** Nothing but a fence divides; see `leases/lease-table.ts`. */
const DIVISION_BY_ZERO = '22012';
const SERIALISATION: ReadonlySet<string> = new Set(['40001', '40P01']);
/** Of a class of errors, or one: the server is not there, is ending, is full, may not write, or waits too long for a lock. */
const UNAVAILABLE = ['08', '53', '58', '57P', '25006', '25P03', LOCK_NOT_AVAILABLE, '40003'];

/** No connection could be made, so nothing was asked. */
export class Unreachable extends StorageUnavailable {
  constructor(cause: unknown) {
    super('unwritable', { cause });
  }
}

/** An error of the client or the server as the ports name it. */
export function toError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return fromServer(error);
  return isConnectionFailure(error)
    ? new StorageUnavailable('unwritable', { cause: error })
    : error;
}

function fromServer(error: pg.DatabaseError): Error {
  const { code = '', message } = error;
  if (code === UNIQUE_VIOLATION) return new UniqueViolation(message, { cause: error });
  if (code === DIVISION_BY_ZERO) return new LeaseLost();
  if (code === QUERY_CANCELED) return new StorageTooSlow();
  if (SERIALISATION.has(code)) return new SerialisationFailure(message, { cause: error });
  if (UNAVAILABLE.some((beginning) => code.startsWith(beginning)))
    return new StorageUnavailable('unwritable', { cause: error });
  return error;
}

/** Whether it is the ports' error for having waited too long for somebody else's transaction. */
export function isLockTimeout(error: unknown): boolean {
  return (
    error instanceof StorageUnavailable &&
    error.cause instanceof pg.DatabaseError &&
    error.cause.code === LOCK_NOT_AVAILABLE
  );
}

/** Whether the server was not reached, or not heard of again. What was asked may have been done. */
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
