export type { CopyEnd, CopyKey, CopyRow, CopyTable, CopyValue } from './copy.ts';
export type {
  AuditRow,
  ConversationOutboxRow,
  ConversationRow,
  Database,
  DeliveryRow,
  LinkRow,
  MessageRow,
  OneTimeLinkRow,
  RejectedEventRow,
  SigningKeyRow,
  SubscriptionRow,
  SuccessfulDeliveryRow,
  Tables,
  ToolRow,
} from './database.ts';
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
export type {
  CrawlPageRow,
  CrawlRow,
  DocumentEventRow,
  DocumentKey,
  DocumentRow,
  DocumentVersionRow,
  KnowledgeDatabase,
  KnowledgeEngine,
  KnowledgeTables,
  Passage,
  PassageOwner,
  ProjectionRow,
  QueryVector,
  RankedPassage,
  RecordRow,
  UnembeddedChunk,
  VectorIndex,
} from './knowledge-engine.ts';
export { KnowledgeScope, type ReadCaller } from './knowledge-scope.ts';
export { type JobWork, LeaseLost, type Leases, type Term } from './leases.ts';
export { prepare, prepareWrite } from './prepared.ts';
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
  queryLog,
  type Store,
  UnusableDatabase,
} from './store.ts';
export {
  inTransaction,
  type JoinedWrites,
  NO_WRITES,
  retryConflicts,
  runWrites,
  type Write,
  type WriteAtomically,
} from './transactions.ts';
