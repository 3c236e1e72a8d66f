export type { CopyEnd, CopyKey, CopyRow, CopyTable, CopyValue } from './copy.ts';
export type {
  ConversationRow,
  Database,
  DeliveryRow,
  LinkRow,
  MessageRow,
  SigningKeyRow,
  SubscriptionRow,
  Tables,
} from './database.ts';
export type { CountsOfMinute, EventCounts } from './event-counts.ts';
export { identityOf } from './event-identity.ts';
export {
  type EventBatch,
  type EventFilter,
  type EventKind,
  type EventPage,
  type EventQuery,
  type EventStore,
  picks,
  type StoredEvent,
} from './event-store.ts';
export type { Hints } from './hints.ts';
export { inTransaction, retryConflicts } from './in-transaction.ts';
export type {
  DocumentEventRow,
  DocumentKey,
  DocumentRow,
  KnowledgeDatabase,
  KnowledgeEngine,
  Passage,
  PassageOwner,
  QueryVector,
  RankedPassage,
  UnembeddedPiece,
  VectorIndex,
} from './knowledge-engine.ts';
export { KnowledgeScope } from './knowledge-scope.ts';
export { type JobWork, LeaseLost, type Leases, type Term } from './leases.ts';
export { prepare } from './prepared.ts';
export type { Rate, RateCounts } from './rate-counts.ts';
export type { Semaphore, Semaphores } from './semaphores.ts';
export type { SharedBuckets } from './shared-buckets.ts';
export { DatabaseAway, type Store, UnusableDatabase } from './store.ts';
export type { Write, WriteTogether } from './write-together.ts';
