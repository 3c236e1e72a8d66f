import { promisify } from 'node:util';
import {
  constants,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';

/** Shorter texts gain less than the frame costs. */
const WORTH_BYTES = 512;
/** With shorter ones it takes this thread about as long to ask another one as to do it. */
const WORTH_A_THREAD_BYTES = 128 * 1024;
const FASTEST = { [constants.ZSTD_c_compressionLevel]: 1 };
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

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
  return isWorthIt(texts)
    ? shorter(texts, zstdCompressSync(texts, packing(texts)))
    : asTheyAre(texts);
}

/** The same, of long texts in another thread. */
export async function toStoredElsewhere(texts: Uint8Array): Promise<StoredTexts> {
  const isLong = texts.byteLength >= WORTH_A_THREAD_BYTES;
  return isLong ? shorter(texts, await compress(texts, packing(texts))) : toStored(texts);
}

/** The texts byte for byte as they were. Throws when the row is damaged. */
export function fromStored({ encoding, bytes }: StoredTexts): Buffer {
  return encoding === 'zstd' ? zstdDecompressSync(bytes) : view(bytes);
}

/**
 * The same, of long texts in another thread.
 *
 * @param length bytes of the texts.
 */
export async function fromStoredElsewhere(stored: StoredTexts, length: number): Promise<Buffer> {
  const isLong = stored.encoding === 'zstd' && length >= WORTH_A_THREAD_BYTES;
  return isLong ? decompress(stored.bytes, { chunkSize: length }) : fromStored(stored);
}

/** The result in one piece: putting pieces together takes as long as packing them. */
function packing({ byteLength }: Uint8Array) {
  return { params: FASTEST, chunkSize: byteLength, pledgedSrcSize: byteLength };
}

function isWorthIt(texts: Uint8Array): boolean {
  return texts.byteLength >= WORTH_BYTES;
}

function asTheyAre(texts: Uint8Array): StoredTexts {
  return { encoding: 'none', bytes: texts };
}

function shorter(texts: Uint8Array, packed: Buffer): StoredTexts {
  return packed.byteLength < texts.byteLength
    ? { encoding: 'zstd', bytes: packed }
    : asTheyAre(texts);
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The 32-bit words of bytes, in this machine's order; a view where the bytes are aligned. */
export function toWords(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

export function toBytes(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
