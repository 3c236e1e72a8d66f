import type { SQLInputValue } from 'node:sqlite';
import type { Failure } from '../../../lib/threads/index.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import type { StatementResult } from '../statements.ts';

export interface WriterData {
  readonly file: string;
  /** Descriptor of the file, with which deleted content is overwritten. Null: an operator command, which runs no checkpoints. */
  readonly fd: number | null;
}

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** A write that succeeds or fails independently of other writes in its group. */
export type Write =
  | (Statement & { readonly kind: 'statement' })
  | { readonly kind: 'atomic'; readonly statements: readonly Statement[] }
  /** Runs the statements if the condition changes or returns a row. `changes` is 0 if it does not. */
  | {
      readonly kind: 'conditional';
      readonly condition: Statement;
      readonly statements: readonly Statement[];
    }
  | { readonly kind: 'append'; readonly batches: readonly EventBatch[] };

/**
 * Runs all writes in one transaction with one fsync. Returns one result per write. If the group arrives while another group runs, both are
 * one transaction.
 */
export interface Group {
  readonly kind: 'group';
  readonly writes: readonly Write[];
}

/** A request to the writer thread. The thread replies in order. */
export type WriterRequest =
  | Group
  /** Starts an interactive transaction, which consists of one `begin`, any number of `step`, and one `end`. */
  | { readonly kind: 'begin' }
  | (Statement & { readonly kind: 'step' })
  /** Ends the transaction. A failed commit rolls back. */
  | { readonly kind: 'end'; readonly action: 'commit' | 'rollback' }
  | { readonly kind: 'open-event-log' }
  | { readonly kind: 'close' };

export type WriteResult =
  | { readonly ok: true; readonly value: StatementResult | Appended }
  | { readonly ok: false; readonly failure: Failure };

export type WriterReply =
  | {
      readonly ok: true;
      readonly results: readonly WriteResult[];
      /** Usual time of a commit in milliseconds. */
      readonly commitMs: number;
    }
  | { readonly ok: false; readonly failure: Failure };

export type WriterMessage =
  | { readonly kind: 'reply'; readonly reply: WriterReply }
  | { readonly kind: 'background-failure'; readonly failure: Failure }
  /** The thread cannot continue. */
  | { readonly kind: 'death'; readonly failure: Failure };

const WRITE_OVERHEAD_BYTES = 200;

export function sizeOfWrite(write: Write): number {
  return sizesOf(write).reduce((sum, size) => sum + size, WRITE_OVERHEAD_BYTES);
}

function sizesOf(write: Write): number[] {
  switch (write.kind) {
    case 'append':
      return write.batches.map(
        ({ texts, ends, identities }) => texts.byteLength + ends.byteLength + identities.length,
      );
    case 'atomic':
      return write.statements.flatMap(sizesOfStatement);
    case 'conditional':
      return [write.condition, ...write.statements].flatMap(sizesOfStatement);
    case 'statement':
      return sizesOfStatement(write);
  }
}

function sizesOfStatement({ sql, parameters }: Statement): number[] {
  return [sql, ...parameters].map(sizeOf);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}

/**
 * Returns the batch with buffers that can be transferred to another thread. Copies views of larger buffers, because
 * Node's shared pool cannot be transferred. Throws `TypeError` if the batch was appended before.
 */
export function toTransferable(batch: EventBatch): EventBatch {
  if (batch.texts.buffer.detached || batch.ends.buffer.detached)
    throw new TypeError('this batch was appended before; create a new batch');
  return { ...batch, texts: ownBuffer(batch.texts), ends: ownBuffer(batch.ends) };
}

function ownBuffer<Bytes extends EventBatch['texts'] | EventBatch['ends']>(bytes: Bytes): Bytes {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : (bytes.slice() as Bytes);
}
