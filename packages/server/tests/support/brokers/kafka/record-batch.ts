import assert from 'node:assert/strict';
import { ByteReader } from './bytes.ts';

export interface KafkaRecord {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: ReadonlyMap<string, string | null>;
}

export interface RecordBatch {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly records: readonly KafkaRecord[];
}

const MAGIC = 2;
const TIMESTAMPED_BY_SENDER_UNCOMPRESSED = 0;

/** Parses a record batch of version 2 and checks all documented properties, including the CRC. */
export function readRecordBatch(bytes: Buffer): RecordBatch {
  const head = new ByteReader(bytes);
  head.int64(); // The base offset, which the broker assigns.
  assert.equal(head.int32(), head.left, 'the length of the batch is wrong');
  head.int32(); // The partition leader epoch, which the broker assigns.
  assert.equal(head.int8(), MAGIC);
  const crc = head.uint32();
  const covered = head.take(head.left);
  assert.equal(crc32c(covered), crc, 'the CRC-32C of the batch is wrong');

  const reader = new ByteReader(covered);
  assert.equal(reader.int16(), TIMESTAMPED_BY_SENDER_UNCOMPRESSED, 'attributes');
  const lastOffsetDelta = reader.int32();
  const firstTimestamp = reader.int64();
  const maxTimestamp = reader.int64();
  const [producerId, producerEpoch, firstSequence] = [
    reader.int64(),
    reader.int16(),
    reader.int32(),
  ];
  const count = reader.int32();
  assert.equal(lastOffsetDelta, count - 1);
  const records = Array.from({ length: count }, (_, index) => {
    const record = new ByteReader(reader.take(reader.varint()));
    assert.equal(record.int8(), 0, 'a record has attributes');
    assert.ok(
      firstTimestamp + record.varlong() <= maxTimestamp,
      'the timestamp of a record exceeds the maximum of the batch',
    );
    assert.equal(record.varint(), index, 'the offset of a record is wrong');
    const [key, value] = [record.recordBytes(), record.recordBytes()];
    const headers = new Map<string, string | null>();
    for (let left = record.varint(); left > 0; left -= 1)
      headers.set(String(record.recordBytes()), record.recordBytes()?.toString() ?? null);
    assert.equal(record.left, 0, 'the length of a record is wrong');
    return { key: key?.toString() ?? null, value: value?.toString() ?? null, headers };
  });
  assert.equal(reader.left, 0, 'the batch has data after the records');
  return { producerId, producerEpoch, firstSequence, records };
}

const CASTAGNOLI = 0x82f63b78;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1)
    value = (value & 1) === 1 ? (value >>> 1) ^ CASTAGNOLI : value >>> 1;
  return value;
});

function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] as number);
  return (crc ^ 0xffffffff) >>> 0;
}
