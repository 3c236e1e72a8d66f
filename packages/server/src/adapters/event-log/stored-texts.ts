import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Shorter texts gain less than the frame costs. */
const WORTH_BYTES = 512;
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The texts of a batch as a row holds them. */
export interface StoredTexts {
  /** `zstd` (RFC 8878), or `none` where that would not be shorter. */
  readonly encoding: 'zstd' | 'none';
  readonly bytes: Uint8Array;
}

/**
 * Packs the texts of a batch for the disk, whose bandwidth is what bounds ingest: each byte is
 * written twice, to the log and to the database. Events of a batch resemble each other, so that
 * they shrink to a third or less, at 2 µs a kilobyte; SQLite and the kernel take 4 for each that is written.
 */
export function toStored(texts: Uint8Array): StoredTexts {
  if (texts.byteLength < WORTH_BYTES) return { encoding: 'none', bytes: texts };
  const bytes = zstdCompressSync(texts, FASTEST);
  return bytes.byteLength < texts.byteLength
    ? { encoding: 'zstd', bytes }
    : { encoding: 'none', bytes: texts };
}

/** The texts byte for byte as they were. Throws when the row is damaged. */
export function fromStored({ encoding, bytes }: StoredTexts): Buffer {
  return encoding === 'zstd'
    ? zstdDecompressSync(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
