import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';

/** Sizes of the headers in bytes. https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** The part of a header that its checksum covers. */
const CHECKED_LOG_HEADER = 24;
const CHECKED_FRAME_HEADER = 8;
const LITTLE_ENDIAN = 0x377f0682;
const BIG_ENDIAN = 0x377f0683;
/** Pages that are rewritten at once. */
const CHUNK_PAGES = 128;

type Sums = readonly [number, number];

/**
 * Writes the bytes of a write-ahead log to the same places and syncs the file.
 *
 * @returns the number of pages from the start of the log that are complete: their checksums are right and they belong to the current log.
 *     A recovery would keep these pages. Zero if the file has no valid header.
 */
export function rewriteLog(file: string): number {
  const fd = openSync(file, 'r+');
  try {
    const header = Buffer.alloc(LOG_HEADER);
    if (copyInPlace(fd, header, 0) < LOG_HEADER) return 0;
    const log = Log.of(header);
    const pages = log === null ? 0 : rewritePages(fd, log);
    fdatasyncSync(fd);
    return pages;
  } finally {
    closeSync(fd);
  }
}

function rewritePages(fd: number, log: Log): number {
  const chunk = Buffer.allocUnsafe(CHUNK_PAGES * log.frameBytes);
  let at = LOG_HEADER;
  for (;;) {
    const length = copyInPlace(fd, chunk, at);
    at += length;
    for (let frame = 0; frame + log.frameBytes <= length; frame += log.frameBytes)
      log.add(chunk.subarray(frame, frame + log.frameBytes));
    if (length < chunk.length) return log.pages;
  }
}

/** Reads bytes and writes them to the same place. Returns their number, which is smaller than the buffer only at the end of the file. */
function copyInPlace(fd: number, buffer: Buffer, at: number): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(fd, buffer, length, buffer.length - length, at + length);
  for (let written = 0; written < length; )
    written += writeSync(fd, buffer, written, length - written, at + written);
  return length;
}

/** Counts the complete pages of a log. Each checksum covers all pages before it. */
class Log {
  readonly frameBytes: number;
  readonly #salts: Buffer;
  readonly #isLittleEndian: boolean;
  #sums: Sums;
  #isComplete = true;
  #pages = 0;

  private constructor(header: Buffer, sums: Sums) {
    const pageSize = header.readUInt32BE(8);
    this.frameBytes = FRAME_HEADER + pageSize;
    this.#salts = header.subarray(16, 24);
    this.#isLittleEndian = header.readUInt32BE(0) === LITTLE_ENDIAN;
    this.#sums = sums;
  }

  /** Returns null if the header is not valid. */
  static of(header: Buffer): Log | null {
    const magic = header.readUInt32BE(0);
    if (magic !== LITTLE_ENDIAN && magic !== BIG_ENDIAN) return null;
    const sums = checksum(header, 0, CHECKED_LOG_HEADER, magic === LITTLE_ENDIAN, [0, 0]);
    return isEqual(sums, header, 24) ? new Log(header, sums) : null;
  }

  get pages(): number {
    return this.#pages;
  }

  add(frame: Buffer): void {
    if (!this.#isComplete) return;
    const isLittle = this.#isLittleEndian;
    const head = checksum(frame, 0, CHECKED_FRAME_HEADER, isLittle, this.#sums);
    this.#sums = checksum(frame, FRAME_HEADER, frame.length, isLittle, head);
    this.#isComplete = this.#salts.equals(frame.subarray(8, 16)) && isEqual(this.#sums, frame, 16);
    if (this.#isComplete) this.#pages += 1;
  }
}

/** https://www.sqlite.org/fileformat.html#checksum_algorithm */
function checksum(
  bytes: Buffer,
  start: number,
  end: number,
  isLittleEndian: boolean,
  [first, second]: Sums,
): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [one, two] = [first, second];
  for (let at = start; at < end; at += 8) {
    one = (one + view.getUint32(at, isLittleEndian) + two) >>> 0;
    two = (two + view.getUint32(at + 4, isLittleEndian) + one) >>> 0;
  }
  return [one, two];
}

function isEqual([one, two]: Sums, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;
}
