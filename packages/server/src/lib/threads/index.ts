export { answering } from './answering.ts';
export { AskThread } from './ask-thread.ts';
export { type Failure, toError, toFailure } from './failure.ts';
export { InTurn } from './in-turn.ts';
export {
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
  UniqueViolation,
} from './storage-errors.ts';
