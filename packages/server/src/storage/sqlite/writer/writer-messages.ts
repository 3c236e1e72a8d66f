import type { SQLInputValue } from 'node:sqlite';
import type { Failure } from '../../../lib/threads/index.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import type { StatementResult } from '../statements.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** One write, which succeeds or fails independently of the others in its group. */
export type Job =
  | (Statement & { readonly kind: 'statement' })
  /** Runs all statements or none. */
  | { readonly kind: 'atomic'; readonly statements: readonly Statement[] }
  | { readonly kind: 'append'; readonly batches: readonly EventBatch[] };

/** A request to the writer thread, which answers in order. */
export type WriterRequest =
  /** Runs all jobs in one transaction with one fsync; returns a result for each. */
  | { readonly kind: 'group'; readonly jobs: readonly Job[] }
  /** An interactive transaction: `begin`, any number of `step`, one `end`. */
  | { readonly kind: 'begin' }
  | (Statement & { readonly kind: 'step' })
  /** After the answer no transaction is open, even if it failed. */
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
  /** Background work failed. */
  | { readonly kind: 'trouble'; readonly failure: Failure };

const JOB_OVERHEAD_BYTES = 200;

/** Estimates the memory of a waiting job. */
export function jobBytes(job: Job): number {
  return sizesOf(job).reduce((sum, size) => sum + size, JOB_OVERHEAD_BYTES);
}

function sizesOf(job: Job): number[] {
  switch (job.kind) {
    case 'append':
      return job.batches.map(
        ({ texts, ends, identities }) => texts.byteLength + ends.byteLength + identities.length,
      );
    case 'atomic':
      return job.statements.flatMap(({ sql, parameters }) => [sql, ...parameters].map(sizeOf));
    case 'statement':
      return [job.sql, ...job.parameters].map(sizeOf);
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}

/**
 * Returns the batch with buffers that can be moved to another thread. A view of a larger buffer is copied: Node's
 * shared pool cannot be moved. Throws `TypeError` if the batch was appended before.
 */
export function owned(batch: EventBatch): EventBatch {
  if (batch.texts.buffer.detached || batch.ends.buffer.detached)
    throw new TypeError('this batch has been appended before');
  return { ...batch, texts: whole(batch.texts), ends: whole(batch.ends) };
}

function whole<Bytes extends EventBatch['texts'] | EventBatch['ends']>(bytes: Bytes): Bytes {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : (bytes.slice() as Bytes);
}
