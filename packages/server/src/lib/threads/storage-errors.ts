/**
 * The store cannot take a write now: the disk is full or failing (`unwritable`), or more is waiting
 * than may wait (`overloaded`). Nothing of the write was kept; the same write may succeed later.
 */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  readonly reason: 'unwritable' | 'overloaded';

  constructor(reason: 'unwritable' | 'overloaded', options?: ErrorOptions) {
    super(`storage is ${reason}`, options);
    this.reason = reason;
  }
}

/** A row that would break a unique key. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';
}

/** Two transactions came in each other's way: nothing of this one was kept, and it can be run again. */
export class SerialisationFailure extends Error {
  override readonly name = 'SerialisationFailure';
}

/** A read that would take longer than one may; the same one will again. */
export class StorageTooSlow extends Error {
  override readonly name = 'StorageTooSlow';

  constructor() {
    super('reading takes too long');
  }
}
