import { type KafkaRecord, readRecordBatch } from './record-batch.ts';

/** Kafka's numbers of what can go wrong. */
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
  /** Where the newest batch begins, by sequence and by offset. */
  readonly lastSequence: number;
  readonly lastOffset: bigint;
}

/** A partition that keeps idempotent producers' promises as a broker does: a batch that comes again is there once. */
export class PartitionLog {
  readonly records: KafkaRecord[] = [];
  readonly #producers = new Map<bigint, ProducerState>();

  append(bytes: Buffer, isKnownProducer: (id: bigint) => boolean): Appended {
    const { producerId, firstSequence, records } = readRecordBatch(bytes);
    const refused = (error: number): Appended => ({ error, baseOffset: -1n });
    if (!isKnownProducer(producerId)) return refused(ERRORS.unknownProducerId);
    const state = this.#producers.get(producerId);
    if (state !== undefined && firstSequence === state.lastSequence)
      return { error: ERRORS.none, baseOffset: state.lastOffset };
    if (firstSequence !== (state?.next ?? 0)) return refused(ERRORS.outOfOrderSequence);
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
