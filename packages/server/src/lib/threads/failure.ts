import {
  NullViolation,
  StorageTooSlow,
  StorageUnavailable,
  UniqueViolation,
} from './storage-errors.ts';

/** A storage error in a form that can be sent between threads. */
export interface Failure {
  readonly kind: 'unwritable' | 'unique' | 'null' | 'too-slow' | 'other';
  readonly message: string;
}

export function toFailure(error: unknown): Failure {
  const { message = String(error) } = error as { message?: string };
  if (error instanceof StorageTooSlow) return { kind: 'too-slow', message };
  if (error instanceof StorageUnavailable) {
    const reason = error.cause instanceof Error ? error.cause.message : message;
    return { kind: 'unwritable', message: reason };
  }
  if (error instanceof UniqueViolation) return { kind: 'unique', message };
  if (error instanceof NullViolation) return { kind: 'null', message };
  return { kind: 'other', message };
}

export function toError(failure: Failure): Error {
  switch (failure.kind) {
    case 'unwritable':
      return new StorageUnavailable('unwritable', { cause: new Error(failure.message) });
    case 'unique':
      return new UniqueViolation(failure.message);
    case 'null':
      return new NullViolation(failure.message);
    case 'too-slow':
      return new StorageTooSlow();
    case 'other':
      return new Error(failure.message);
  }
}
