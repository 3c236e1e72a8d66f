import type { Appended, EventBatch } from '../../ports/event-store.ts';
import type { Failure } from './failure.ts';
import type { StatementResult } from './statements.ts';

/** One write that stands alone: it succeeds or fails by itself, whatever else is in its group. */
export type Job =
  | { readonly kind: 'statement'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'append'; readonly batches: readonly EventBatch[] };

/** What the writer thread is asked, one request at a time. */
export type WriterRequest =
  /** All jobs in one transaction and one fsync. */
  | { readonly kind: 'group'; readonly jobs: readonly Job[] }
  /** One statement of the transaction that `begin` opened. */
  | { readonly kind: 'step'; readonly sql: string; readonly parameters: readonly unknown[] }
  /** Reads the identity index; the schema must be up to date. */
  | { readonly kind: 'open-event-log' }
  | { readonly kind: 'close' };

export type JobResult =
  | { readonly ok: true; readonly value: StatementResult | Appended }
  | { readonly ok: false; readonly failure: Failure };

export type WriterReply =
  | { readonly ok: true; readonly results: readonly JobResult[] }
  | { readonly ok: false; readonly failure: Failure };
