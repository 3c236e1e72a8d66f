import { StorageUnavailable, UniqueViolation } from '../../ports/storage-error.ts';

/** An error of the engine as it crosses threads. */
export interface Failure {
  readonly kind: 'unwritable' | 'unique' | 'other';
  readonly message: string;
}

// https://www.sqlite.org/rescode.html
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;
const READONLY = 8;
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;
const UNWRITABLE: ReadonlySet<number> = new Set([IOERR, FULL, CANTOPEN, READONLY]);

export function toFailure(error: unknown): Failure {
  const { errcode, message } = error as { errcode?: number; message?: string };
  if (errcode === CONSTRAINT_UNIQUE || errcode === CONSTRAINT_PRIMARYKEY)
    return { kind: 'unique', message: String(message) };
  if (errcode !== undefined && UNWRITABLE.has(errcode & 0xff))
    return { kind: 'unwritable', message: String(message) };
  return { kind: 'other', message: String(message ?? error) };
}

export function toError(failure: Failure): Error {
  switch (failure.kind) {
    case 'unwritable':
      return new StorageUnavailable('unwritable', { cause: new Error(failure.message) });
    case 'unique':
      return new UniqueViolation(failure.message);
    case 'other':
      return new Error(failure.message);
  }
}
