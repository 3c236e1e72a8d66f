import { promisify } from 'node:util';
import {
  constants,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';

/** For shorter texts, the overhead of a zstd frame exceeds the saved space. */
const MIN_COMPRESSED_BYTES = 512;
/** For shorter texts, sending the work to another thread takes as long as compressing them in this thread. */
const MIN_THREADED_BYTES = 128 * 1024;
const FASTEST = { [constants.ZSTD_c_compressionLevel]: 1 };
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export interface StoredTexts {
  /** `zstd` (RFC 8878), or `none` if compression does not save space. */
  readonly encoding: 'zstd' | 'none';
  readonly bytes: Uint8Array;
}

/**
 * Compresses the texts of a batch. Disk bandwidth limits ingest, because every byte is written to the write-ahead log
 * and to the database. Events of a batch are similar and shrink to a third or less. Compressing a kilobyte takes 2 µs;
 * SQLite and the kernel need 4 µs to write it.
 */
export function toStored(texts: Uint8Array): StoredTexts {
  return texts.byteLength < MIN_COMPRESSED_BYTES
    ? uncompressed(texts)
    : shorter(texts, zstdCompressSync(texts, compressionOptions(texts)));
}

/** Compresses like `toStored`, but compresses long texts in another thread. */
export async function toStoredAsync(texts: Uint8Array): Promise<StoredTexts> {
  const isLong = texts.byteLength >= MIN_THREADED_BYTES;
  return isLong
    ? shorter(texts, await compress(texts, compressionOptions(texts)))
    : toStored(texts);
}

/** Returns the original bytes. Throws if the stored bytes are corrupt. */
export function fromStored({ encoding, bytes }: StoredTexts): Buffer {
  return encoding === 'zstd' ? zstdDecompressSync(bytes) : asBuffer(bytes);
}

/**
 * Decompresses like `fromStored`, but decompresses long texts in another thread.
 *
 * @param length number of original bytes.
 */
export async function fromStoredAsync(stored: StoredTexts, length: number): Promise<Buffer> {
  const isLong = stored.encoding === 'zstd' && length >= MIN_THREADED_BYTES;
  return isLong ? decompress(stored.bytes, { chunkSize: length }) : fromStored(stored);
}

/** Makes zstd return a single chunk. Concatenating several chunks would take as long as compressing. */
function compressionOptions({ byteLength }: Uint8Array) {
  return { params: FASTEST, chunkSize: byteLength, pledgedSrcSize: byteLength };
}

function uncompressed(texts: Uint8Array): StoredTexts {
  return { encoding: 'none', bytes: texts };
}

function shorter(texts: Uint8Array, packed: Buffer): StoredTexts {
  return packed.byteLength < texts.byteLength
    ? { encoding: 'zstd', bytes: packed }
    : uncompressed(texts);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns bytes as 32-bit words in native byte order. The result is a view if the bytes are aligned, otherwise a copy. */
export function toWords(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

export function toBytes(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
