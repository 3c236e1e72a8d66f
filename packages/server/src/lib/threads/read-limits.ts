import type { TimeBudgets } from '../scheduling/index.ts';
import { StorageUnavailable } from './storage-errors.ts';

/** Maximum number of waiting reads of a caller, in each queue. */
export const MAX_WAITING_OF_CALLER = 64;

/** Limits of the reads of a store, shared by its threads, and observers of these limits. */
export interface ReadLimits {
  readonly budgets: TimeBudgets | null;
  /** Maximum time in milliseconds that an operation of a caller waits, over all of its steps. */
  readonly maxWaitMs: number;
  readonly onRejected: (reason: RejectedRead) => void;
  /** Called after each operation with the time that it took. */
  readonly onUsed: (resource: string, ms: number) => void;
}

export const NO_READ_LIMITS: ReadLimits = {
  budgets: null,
  maxWaitMs: 2000,
  onRejected: () => {},
  onUsed: () => {},
};

/** Owner of the work that a rejected read was waiting for. `loading`: the space is being loaded into memory. */
export type BusyWith = 'caller' | 'space' | 'service' | 'loading';

export type RejectedRead = BusyWith | 'budget';

/** Too many reads are waiting, or the read waited too long. The read had no effect and may succeed later. */
export class ReadsOverloaded extends StorageUnavailable {
  readonly busyWith: BusyWith;

  constructor(busyWith: BusyWith) {
    super('overloaded');
    this.busyWith = busyWith;
  }
}

/** The caller has used up its time budget. The read was not started, or was stopped between two steps. */
export class TimeBudgetUsed extends Error {
  override readonly name = 'TimeBudgetUsed';
  readonly caller: string;
  /** Milliseconds until the caller has time again. */
  readonly waitMs: number;

  constructor(caller: string, waitMs: number) {
    super('the caller has used up its time budget');
    this.caller = caller;
    this.waitMs = waitMs;
  }
}
