import { StorageTooSlow, StorageUnavailable, UniqueViolation } from '../../ports/storage-error.ts';

/** An error of the engine as it crosses threads. */
export interface Failure {
  readonly kind: 'unwritable' | 'unique' | 'too-slow' | 'other';
  readonly message: string;
}

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

export function toFailure(error: unknown): Failure {
  const { errcode, message = String(error) } = error as { errcode?: number; message?: string };
  if (error instanceof StorageTooSlow) return { kind: 'too-slow', message };
  if (error instanceof StorageUnavailable) return { kind: 'unwritable', message };
  if (errcode === CONSTRAINT_UNIQUE || errcode === CONSTRAINT_PRIMARYKEY)
    return { kind: 'unique', message };
  if (errcode !== undefined && UNWRITABLE.has(errcode & 0xff))
    return { kind: 'unwritable', message };
  return { kind: 'other', message };
}

export function toError(failure: Failure): Error {
  switch (failure.kind) {
    case 'unwritable':
      return new StorageUnavailable('unwritable', { cause: new Error(failure.message) });
    case 'unique':
      return new UniqueViolation(failure.message);
    case 'too-slow':
      return new StorageTooSlow();
    case 'other':
      return new Error(failure.message);
  }
}
