import type { KafkaMessage } from './message.ts';

/** Brokers refuse a batch of more than about 1 MB (`message.max.bytes`) unless they are told otherwise. */
const CHUNK_BYTES = 700_000;
const CHUNK_MESSAGES = 1_000;
/** What a record takes beside its key, value and headers' values, generously. */
const BESIDE_BYTES = 200;

/** The places of messages that are sent together, in order. A large one goes alone. */
export function* chunksOf(messages: readonly KafkaMessage[]): Generator<readonly number[]> {
  let chunk: number[] = [];
  let bytes = 0;
  for (const [place, message] of messages.entries()) {
    const size = sizeOf(message);
    if (chunk.length > 0 && (bytes + size > CHUNK_BYTES || chunk.length === CHUNK_MESSAGES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(place);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

function sizeOf({ key, value, headers }: KafkaMessage): number {
  return [key, value, ...Object.values(headers)].reduce(
    (size, text) => size + Buffer.byteLength(text),
    BESIDE_BYTES,
  );
}
