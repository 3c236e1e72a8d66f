import type { EventBatch } from '../../ports/event-store.ts';
import type { Job } from './writer-messages.ts';

const JOB_OVERHEAD_BYTES = 200;

/** About the memory that a job takes while it waits. */
export function jobBytes(job: Job): number {
  return sizesOf(job).reduce((sum, size) => sum + size, JOB_OVERHEAD_BYTES);
}

function sizesOf(job: Job): number[] {
  switch (job.kind) {
    case 'append':
      return job.batches.map(
        ({ texts, ends, identities }) => texts.byteLength + ends.byteLength + identities.length,
      );
    case 'together':
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
 * The batch with buffers of its own, which can be moved to another thread: a view of something
 * larger (Node's shared pool cannot be moved at all) is copied. Throws `TypeError` for a batch that
 * was given away before.
 */
export function owned(batch: EventBatch): EventBatch {
  if (batch.texts.buffer.detached || batch.ends.buffer.detached)
    throw new TypeError('this batch has been appended before');
  return { ...batch, texts: whole(batch.texts), ends: whole(batch.ends) };
}

function whole<Bytes extends EventBatch['texts'] | EventBatch['ends']>(bytes: Bytes): Bytes {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : (bytes.slice() as Bytes);
}
