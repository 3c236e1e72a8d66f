import { type Failure, toFailure as failureOf } from '../../lib/threads/index.ts';

// https://www.sqlite.org/rescode.html
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;
/** `BUSY`: a tool of the operator holds the database for longer than the busy timeout. */
const UNWRITABLE: ReadonlySet<number> = new Set([BUSY, READONLY, IOERR, FULL, CANTOPEN]);

/** An error of SQLite, or one of the ports' own, as it crosses threads. */
export function toFailure(error: unknown): Failure {
  const { errcode, message = String(error) } = error as { errcode?: number; message?: string };
  if (errcode === CONSTRAINT_UNIQUE || errcode === CONSTRAINT_PRIMARYKEY)
    return { kind: 'unique', message };
  if (errcode !== undefined && UNWRITABLE.has(errcode & 0xff))
    return { kind: 'unwritable', message };
  return failureOf(error);
}
