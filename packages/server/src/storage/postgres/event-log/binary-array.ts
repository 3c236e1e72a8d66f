/**
 * Binary array parameters. The server parses them much faster than text. The format is: number of dimensions, a flag for nulls,
 * element type, element count, index of the first element, and then the length and bytes of each element.
 * https://www.postgresql.org/docs/13/protocol-overview.html#PROTOCOL-FORMAT-CODES
 */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
// Type identifiers from the server's `pg_type.dat`.
const BYTEA = 17;
const INT4 = 23;
const UUID = 2950;

export function byteaArray(elements: readonly Uint8Array[]): Buffer {
  const bytes = elements.reduce((sum, { byteLength }) => sum + LENGTH_BYTES + byteLength, 0);
  const array = allocateArray(BYTEA, elements.length, bytes);
  let offset = HEADER_BYTES;
  for (const element of elements) {
    offset = array.writeInt32BE(element.byteLength, offset);
    array.set(element, offset);
    offset += element.byteLength;
  }
  return array;
}

/** @param uuids buffers of concatenated 16-byte UUIDs. */
export function uuidArray(uuids: readonly Uint8Array[]): Buffer {
  const count = uuids.reduce((sum, { byteLength }) => sum + byteLength / UUID_BYTES, 0);
  const array = allocateArray(UUID, count, count * (LENGTH_BYTES + UUID_BYTES));
  let offset = HEADER_BYTES;
  for (const repetitions of uuids)
    for (let from = 0; from < repetitions.byteLength; from += UUID_BYTES) {
      offset = array.writeInt32BE(UUID_BYTES, offset);
      array.set(repetitions.subarray(from, from + UUID_BYTES), offset);
      offset += UUID_BYTES;
    }
  return array;
}

/** Creates an array that repeats each number n, starting at 1, `times[n - 1]` times. */
export function ordinalArray(times: readonly number[]): Buffer {
  const count = times.reduce((sum, repetitions) => sum + repetitions, 0);
  const array = allocateArray(INT4, count, count * 2 * LENGTH_BYTES);
  let offset = HEADER_BYTES;
  for (const [index, repetitions] of times.entries())
    for (let time = 0; time < repetitions; time += 1) {
      offset = array.writeInt32BE(LENGTH_BYTES, offset);
      offset = array.writeInt32BE(index + 1, offset);
    }
  return array;
}

function allocateArray(type: number, count: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  let offset = array.writeInt32BE(1, 0);
  offset = array.writeInt32BE(0, offset);
  offset = array.writeInt32BE(type, offset);
  offset = array.writeInt32BE(count, offset);
  array.writeInt32BE(1, offset);
  return array;
}
