export type { CopyEnd, CopyKey, CopyRow, CopyTable, CopyValue } from './copy.ts';
export type { Database, Tables } from './database.ts';
export {
  type EventBatch,
  type EventFilter,
  type EventKind,
  type EventPage,
  type EventQuery,
  type EventStore,
  identityOf,
  matchesFilter,
  type StoredEvent,
} from './event-store.ts';
export {
  type DocumentKey,
  type DocumentOrder,
  type DocumentSelect,
  type KnowledgeEngine,
  ORDERS,
  type Passage,
  type PassageOwner,
  type QueryVector,
  type RankedPassage,
  type UnembeddedChunk,
  type VectorIndex,
} from './knowledge-engine.ts';
export { KnowledgeScope, type ReadCaller } from './knowledge-scope.ts';
export { type JobWork, LeaseLost, type Leases, type Term } from './leases.ts';
export { prepare, prepareWrite } from './prepared.ts';
export { isNotRemoved } from './removed-documents.ts';
export { toEventBatch } from './service-events.ts';
export type {
  CountsOfMinute,
  EventCounts,
  Rate,
  RateCounts,
  Semaphore,
  Semaphores,
  SharedBuckets,
} from './shared.ts';
export {
  DatabaseUnavailable,
  type Hints,
  type QueryReport,
  type Store,
  UnusableDatabase,
} from './store.ts';
export type * from './tables/events.ts';
export type * from './tables/knowledge.ts';
export type * from './tables/links.ts';
export type * from './tables/platform.ts';
export type * from './tables/spaces.ts';
export type * from './tables/users.ts';
export {
  inReadCommitted,
  inTransaction,
  type JoinedWrites,
  NO_WRITES,
  retryConflicts,
  runWrites,
  type Write,
  type WriteAtomically,
} from './transactions.ts';
