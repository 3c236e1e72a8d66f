import { errorChain } from '../../../lib/network/index.ts';
import type { Outcome } from '../event-sink.ts';
import { failureOf } from './failure.ts';
import type { KafkaRecord } from './record.ts';

/** Maximum size of a request. The default batch limit of Kafka is about 1 MB (`message.max.bytes`). */
const CHUNK_BYTES = 700_000;
const CHUNK_RECORDS = 1_000;
/** Maximum overhead of a record for header names and lengths, in bytes. */
const OVERHEAD_BYTES = 200;

export interface PartitionedRecord extends KafkaRecord {
  readonly partition: number;
}

export interface Sender {
  send(options: { messages: PartitionedRecord[] }): Promise<unknown>;
}

/**
 * Sends records of one topic in sequential requests and returns their outcomes. A record that is too large holds back
 * the rest of its lane. Any other failure holds back all remaining records.
 */
export async function sendInOrder(
  sender: Sender,
  records: readonly PartitionedRecord[],
  lanes: readonly string[],
  topic: string,
): Promise<readonly Outcome[]> {
  const outcomes = new Array<Outcome>(records.length).fill('held');
  const heldLanes = new Set<string>();
  let stopped = false;
  const recordAt = (index: number) => records[index] as PartitionedRecord;
  const laneAt = (index: number) => lanes[index] as string;

  async function send(indexes: readonly number[]): Promise<void> {
    const sent = indexes.filter((index) => !stopped && !heldLanes.has(laneAt(index)));
    if (sent.length === 0) return;
    try {
      await sender.send({ messages: sent.map(recordAt) });
      for (const index of sent) outcomes[index] = 'published';
    } catch (error) {
      const written = partitionsWritten(error);
      const isWritten = (index: number) => written.has(recordAt(index).partition);
      for (const index of sent) if (isWritten(index)) outcomes[index] = 'published';
      await handleFailure(
        error,
        sent.filter((index) => !isWritten(index)),
      );
    }
  }

  async function handleFailure(error: unknown, left: readonly number[]): Promise<void> {
    const failure = failureOf(error, topic);
    if (failure.reason === 'too-large' && left.length > 1) {
      // The request may be too large although no single record is.
      await send(left.slice(0, left.length >> 1));
      await send(left.slice(left.length >> 1));
      return;
    }
    for (const index of left) outcomes[index] = failure;
    if (failure.reason === 'too-large') for (const index of left) heldLanes.add(laneAt(index));
    else stopped = true;
  }

  for (const indexes of chunksOf(records)) await send(indexes);
  return outcomes;
}

/** Returns the partitions that were written although the request failed. */
function partitionsWritten(error: unknown): ReadonlySet<number> {
  const written = new Set<number>();
  for (const { response } of errorChain(error) as Iterable<Error & { response?: ProduceResponse }>)
    for (const { partitionResponses } of response?.responses ?? [])
      for (const { index, errorCode } of partitionResponses)
        if (errorCode === 0) written.add(index);
  return written;
}

interface ProduceResponse {
  readonly responses?: readonly {
    readonly partitionResponses: readonly { readonly index: number; readonly errorCode: number }[];
  }[];
}

/**
 * Splits records into requests. Yields the record indexes of one request at a time, in order. A record over the limit
 * gets its own request.
 */
function* chunksOf(records: readonly KafkaRecord[]): Generator<readonly number[]> {
  let chunk: number[] = [];
  let bytes = 0;
  for (const [index, record] of records.entries()) {
    const size = sizeOf(record);
    if (chunk.length > 0 && (bytes + size > CHUNK_BYTES || chunk.length === CHUNK_RECORDS)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(index);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

function sizeOf({ key, value, headers }: KafkaRecord): number {
  return [key, value, ...Object.values(headers)].reduce(
    (size, text) => size + Buffer.byteLength(text),
    OVERHEAD_BYTES,
  );
}
