export { answering } from './answering.ts';
export { AskThread } from './ask-thread.ts';
export { type Failure, toError, toFailure } from './failure.ts';
export { FairSemaphore } from './fair-semaphore.ts';
export {
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
  UniqueViolation,
} from './storage-errors.ts';
