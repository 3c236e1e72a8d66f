/**
 * Arrays as the server takes them in binary, which it parses at a fraction of the cost of text: dimensions,
 * whether there are nulls, the elements' type, how many, the first index, then each with its length.
 * https://www.postgresql.org/docs/13/protocol-overview.html#PROTOCOL-FORMAT-CODES
 */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
// Object ids of types (pg_type.dat of the server).
const BYTEA = 17;
const INT4 = 23;
const UUID = 2950;

export function byteaArray(elements: readonly Uint8Array[]): Buffer {
  const bytes = elements.reduce((sum, { byteLength }) => sum + LENGTH_BYTES + byteLength, 0);
  const array = begin(BYTEA, elements.length, bytes);
  let at = HEADER_BYTES;
  for (const element of elements) {
    at = array.writeInt32BE(element.byteLength, at);
    array.set(element, at);
    at += element.byteLength;
  }
  return array;
}

/** @param uuids each 16 bytes, side by side. */
export function uuidArray(uuids: readonly Uint8Array[]): Buffer {
  const count = uuids.reduce((sum, { byteLength }) => sum + byteLength / UUID_BYTES, 0);
  const array = begin(UUID, count, count * (LENGTH_BYTES + UUID_BYTES));
  let at = HEADER_BYTES;
  for (const some of uuids)
    for (let from = 0; from < some.byteLength; from += UUID_BYTES) {
      at = array.writeInt32BE(UUID_BYTES, at);
      array.set(some.subarray(from, from + UUID_BYTES), at);
      at += UUID_BYTES;
    }
  return array;
}

/** The numbers 1, 2, …, the n-th as often as `times[n - 1]` says. */
export function placeArray(times: readonly number[]): Buffer {
  const count = times.reduce((sum, some) => sum + some, 0);
  const array = begin(INT4, count, count * 2 * LENGTH_BYTES);
  let at = HEADER_BYTES;
  for (const [index, some] of times.entries())
    for (let time = 0; time < some; time += 1) {
      at = array.writeInt32BE(LENGTH_BYTES, at);
      at = array.writeInt32BE(index + 1, at);
    }
  return array;
}

function begin(type: number, count: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  let at = array.writeInt32BE(1, 0);
  at = array.writeInt32BE(0, at);
  at = array.writeInt32BE(type, at);
  at = array.writeInt32BE(count, at);
  array.writeInt32BE(1, at);
  return array;
}
