import type { Database } from './database.ts';
import type { EventStore } from './event-store.ts';
import type { KnowledgeEngine } from './knowledge-engine.ts';
import type { Leases } from './leases.ts';
import type { Shared } from './shared.ts';
import type { WriteTogether } from './transactions.ts';

/** The complete store of one engine. */
export interface Store extends AsyncDisposable {
  readonly db: Database;
  readonly writeTogether: WriteTogether;
  readonly events: EventStore;
  readonly knowledge: KnowledgeEngine;
  readonly shared: Shared;
  readonly leases: Leases;
  readonly hints: Hints;
  /** True if no other process can open this store. */
  readonly isAlone: boolean;
  /** Throws or rejects if the store cannot serve requests. */
  check(): void | Promise<void>;
}

/**
 * Notifies the other processes on the same store of changes. Hints are delivered after the change and may be lost,
 * so nothing may depend on them for correctness.
 */
export interface Hints {
  /** @param text short. Equal hints in quick succession may be merged into one. */
  publish(topic: string, text: string): void;
  /** Calls `listener` with hints of other processes, never with this process's own. */
  subscribe(topic: string, listener: (text: string) => void): void;
}

/** The database is in a state that an operator has to repair; the message says how. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** The database does not respond. The message contains no password. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}
