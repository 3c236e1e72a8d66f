import type { LogEvent } from 'kysely';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { ReadLimits } from '../../lib/threads/index.ts';
import type { Database } from './database.ts';
import type { EventStore } from './event-store.ts';
import type { KnowledgeEngine } from './knowledge-engine.ts';
import type { Leases } from './leases.ts';
import type { Shared } from './shared.ts';
import type { WriteAtomically } from './transactions.ts';

export interface StoreOptions {
  /** Maximum bytes of writes that wait. Further writes are rejected as overloaded. */
  readonly queueBytes: number;
  /** Background work failed. The store retries it later, at the latest after a restart. */
  readonly onError: (error: unknown) => void;
  /** See `Store.clock`. Default: `Date.now`, or the clock of the PostgreSQL database. */
  readonly clock?: Clock;
  /** Limits of searches and other long reads. Default: no time budgets. */
  readonly readLimits?: ReadLimits;
  /** Called after each statement of the tables outside `knowledge`. */
  readonly onQuery?: (report: QueryReport) => void;
  /** Version of the service that this process runs. Operator commands omit it, so they do not count as replicas. */
  readonly version?: string;
}

/** A storage engine: SQLite for one process, or PostgreSQL for many replicas. */
export interface Store extends AsyncDisposable {
  readonly db: Database;
  /**
   * The clock of all times that are stored or compared with stored times. On PostgreSQL, it is the clock of the database, so that replicas
   * with different clocks agree on deadlines.
   */
  readonly clock: Clock;
  readonly writeAtomically: WriteAtomically;
  readonly events: EventStore;
  readonly knowledge: KnowledgeEngine;
  readonly shared: Shared;
  readonly leases: Leases;
  readonly hints: Hints;
  /**
   * Queues the IDs of audit entries in `audit_outbox` from now on, or stops queueing them. The entry and its place in the queue are
   * one transaction, also for entries of other processes.
   */
  queueAudit(isQueued: boolean): Promise<void>;
  /** True if no other process can open this store. */
  readonly isExclusive: boolean;
  /** Throws or rejects if the store cannot serve requests. */
  check(): void | Promise<void>;
  describe(): Promise<StoreDescription>;
}

export interface StoreDescription {
  readonly engine: 'sqlite' | 'postgresql';
  /** Version of SQLite or of the PostgreSQL server. */
  readonly version: string;
  /** Size of the database in bytes, including the write-ahead log of SQLite. */
  readonly bytes: number;
  /** The running processes that serve requests from this store, oldest first. A killed process counts for up to six seconds. */
  readonly replicas: readonly ReplicaDescription[];
}

export interface ReplicaDescription {
  /** Unique identifier of the process run. */
  readonly id: string;
  readonly host: string;
  /** Version of the service. */
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Background jobs that the process holds, by name. */
  readonly jobs: readonly string[];
  readonly isSelf: boolean;
}

/**
 * Change notifications between the processes that share a store. A hint arrives after the change that it announces, and
 * may be lost, so correctness must not depend on hints.
 *
 * @example
 * hints.subscribe('event-sources', (spaceId) => cache.delete(spaceId));
 * hints.publish('event-sources', spaceId);
 */
export interface Hints {
  /** @param text a short text, such as an ID. Equal hints in quick succession may be merged into one. */
  publish(topic: string, text: string): void;
  /** Calls `listener` with the hints of other processes, never with hints of this process. */
  subscribe(topic: string, listener: (text: string) => void): void;
}

/** A statement that has ended. */
export interface QueryReport {
  /** SQL with placeholders instead of values. */
  readonly sql: string;
  /** Duration in milliseconds. */
  readonly ms: number;
  readonly failed: boolean;
}

/** Returns the option of Kysely that reports every statement to `onQuery`. Without `onQuery`, statements are not timed. */
export function queryLog(onQuery: ((report: QueryReport) => void) | undefined): {
  log?: (event: LogEvent) => void;
} {
  if (onQuery === undefined) return {};
  return {
    log: ({ level, query, queryDurationMillis: ms }) =>
      onQuery({ sql: query.sql, ms, failed: level === 'error' }),
  };
}

/** An operator must repair the database. The message says how. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** The database is unreachable or does not accept writes. The message contains no password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}
