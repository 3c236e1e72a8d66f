export { answering } from './answering.ts';
export { AskThread, type AskThreadOptions } from './ask-thread.ts';
export { CallerSemaphores, type ConcurrentCaller } from './caller-semaphores.ts';
export { type Failure, toError, toFailure } from './failure.ts';
export { FairSemaphore } from './fair-semaphore.ts';
export {
  type BusyWith,
  NO_READ_LIMITS,
  type ReadLimits,
  ReadsOverloaded,
  type RejectedRead,
  TimeBudgetUsed,
} from './read-limits.ts';
export { Step } from './step.ts';
export {
  NullViolation,
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
  UniqueViolation,
} from './storage-errors.ts';
