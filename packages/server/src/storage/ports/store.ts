import type { Database } from './database.ts';
import type { EventStore } from './event-store.ts';
import type { Hints } from './hints.ts';
import type { KnowledgeEngine } from './knowledge-engine.ts';
import type { Leases } from './leases.ts';
import type { Shared } from './shared.ts';
import type { WriteTogether } from './write-together.ts';

/** Everything that is kept, whatever the engine. */
export interface Store extends AsyncDisposable {
  readonly db: Database;
  readonly writeTogether: WriteTogether;
  readonly events: EventStore;
  readonly knowledge: KnowledgeEngine;
  readonly shared: Shared;
  readonly leases: Leases;
  readonly hints: Hints;
  /** Whether no other process can have it open. */
  readonly isAlone: boolean;
  /** Throws or rejects when requests cannot be served. */
  check(): void | Promise<void>;
}

/** The database cannot be used as it is, and an operator can mend it; the message says how. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** The database does not answer now. The message holds no password. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}
