import { type KafkaRecord, readRecordBatch } from './record-batch.ts';

export const ERRORS = {
  none: 0,
  unknownTopic: 3,
  messageTooLarge: 10,
  outOfOrderSequence: 45,
  unknownProducerId: 59,
} as const;

export interface Appended {
  readonly error: number;
  readonly baseOffset: bigint;
}

interface ProducerState {
  readonly next: number;
  /** Sequence number and offset of the newest batch. */
  readonly lastSequence: number;
  readonly lastOffset: bigint;
}

/** A partition that deduplicates the batches of idempotent producers, as a broker does. */
export class PartitionLog {
  readonly records: KafkaRecord[] = [];
  readonly #producers = new Map<bigint, ProducerState>();

  append(bytes: Buffer, isKnownProducer: (id: bigint) => boolean): Appended {
    const { producerId, firstSequence, records } = readRecordBatch(bytes);
    const rejection = (error: number): Appended => ({ error, baseOffset: -1n });
    if (!isKnownProducer(producerId)) return rejection(ERRORS.unknownProducerId);
    const state = this.#producers.get(producerId);
    if (state !== undefined && firstSequence === state.lastSequence)
      return { error: ERRORS.none, baseOffset: state.lastOffset };
    if (firstSequence !== (state?.next ?? 0)) return rejection(ERRORS.outOfOrderSequence);
    const baseOffset = BigInt(this.records.length);
    this.records.push(...records);
    this.#producers.set(producerId, {
      next: firstSequence + records.length,
      lastSequence: firstSequence,
      lastOffset: baseOffset,
    });
    return { error: ERRORS.none, baseOffset };
  }
}
