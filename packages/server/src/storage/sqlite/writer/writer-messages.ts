import type { SQLInputValue } from 'node:sqlite';
import type { Failure } from '../../../lib/threads/index.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import type { StatementResult } from '../statements.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** One write that stands alone: it succeeds or fails by itself, whatever else is in its group. */
export type Job =
  | (Statement & { readonly kind: 'statement' })
  /** All of them or none. */
  | { readonly kind: 'together'; readonly statements: readonly Statement[] }
  | { readonly kind: 'append'; readonly batches: readonly EventBatch[] };

/** What the writer thread is asked. It answers in the order of asking. */
export type WriterRequest =
  /** All jobs in one transaction and one fsync; a result for each. */
  | { readonly kind: 'group'; readonly jobs: readonly Job[] }
  /** A transaction of several requests: `begin`, any number of `step`, one `end`. */
  | { readonly kind: 'begin' }
  | (Statement & { readonly kind: 'step' })
  /** Whatever the answer is, no transaction is open after it. */
  | { readonly kind: 'end'; readonly word: 'commit' | 'rollback' }
  /** Reads the identity index; the schema must be up to date. */
  | { readonly kind: 'open-event-log' }
  | { readonly kind: 'close' };

export type JobResult =
  | { readonly ok: true; readonly value: StatementResult | Appended }
  | { readonly ok: false; readonly failure: Failure };

export type WriterReply =
  | { readonly ok: true; readonly results: readonly JobResult[] }
  | { readonly ok: false; readonly failure: Failure };

export type WriterMessage =
  | { readonly kind: 'reply'; readonly reply: WriterReply }
  /** Work that nobody asked for failed. */
  | { readonly kind: 'trouble'; readonly failure: Failure };
