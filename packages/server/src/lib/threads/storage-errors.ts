/**
 * The store cannot accept an operation now: the disk is full or failing (`unwritable`), or a queue is full (`overloaded`). The
 * operation had no effect and may succeed later.
 */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  readonly reason: 'unwritable' | 'overloaded';

  constructor(reason: 'unwritable' | 'overloaded', options?: ErrorOptions) {
    super(`storage is ${reason}`, options);
    this.reason = reason;
  }
}

/** A row violates a unique key. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
}

/** A row lacks a required value. */
export class NullViolation extends Error {
  override readonly name = 'NullViolation';
}

/** The transaction conflicts with a concurrent transaction. It had no effect and can be retried. */
export class SerialisationFailure extends Error {
  override readonly name = 'SerialisationFailure';
}

/** A read exceeded its time limit. A retry would exceed the limit again. */
export class StorageTooSlow extends Error {
  override readonly name = 'StorageTooSlow';

  constructor() {
    super('reading takes too long');
  }
}
