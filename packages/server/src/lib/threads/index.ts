export { CallerSemaphores, type ConcurrentCaller } from './caller-semaphores.ts';
export { type Failure, toError, toFailure } from './failure.ts';
export { FairSemaphore } from './fair-semaphore.ts';
export {
  type BusyWith,
  NO_READ_LIMITS,
  type ReadLimits,
  ReadsOverloaded,
  TimeBudgetUsed,
} from './read-limits.ts';
export { ReadThread } from './read-thread.ts';
export { serveRequests } from './serve-requests.ts';
export { Step } from './step.ts';
export {
  NullViolation,
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
  UniqueViolation,
} from './storage-errors.ts';
