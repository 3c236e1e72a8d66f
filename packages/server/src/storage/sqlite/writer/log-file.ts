import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { LogState } from './log-index.ts';

/** Sizes of the headers in bytes. https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** The part of a header that its checksum covers. */
const CHECKED_LOG_HEADER = 24;
const CHECKED_FRAME_HEADER = 8;
const LITTLE_ENDIAN = 0x377f0682;
const BIG_ENDIAN = 0x377f0683;
/** Pages that are read at once, and bytes that are written at once. */
const CHUNK_PAGES = 128;
const CHUNK_BYTES = 1024 * 1024;

type Sums = readonly [number, number];

/** Returns the number of bytes of a log, from the start of its file. */
export function bytesOf({ pages, pageBytes }: LogState): number {
  return pages === 0 ? 0 : LOG_HEADER + pages * (FRAME_HEADER + pageBytes);
}

/**
 * Reports whether the file of a write-ahead log contains exactly the pages that the index describes.
 *
 * @param start state of the same log when it was complete. The pages that it contains are not read again.
 */
export function isLogComplete(
  file: string,
  state: LogState,
  start: LogState | null = null,
): boolean {
  const { pages, checksum, salts } = state;
  if (pages === 0) return true;
  const fd = openSync(file, 'r');
  try {
    const header = Buffer.alloc(LOG_HEADER);
    if (readAt(fd, header, 0) < LOG_HEADER) return false;
    const log = LogReader.of(header, salts);
    if (log === null) return false;
    if (start !== null && start.pages > 0) log.skip(start);
    return readPages(fd, log, start?.pages ?? 0, pages) && isSame(log.sums, checksum);
  } finally {
    closeSync(fd);
  }
}

/** Returns false if the pages are not complete. */
function readPages(fd: number, log: LogReader, start: number, pages: number): boolean {
  const chunk = Buffer.allocUnsafe(Math.min(pages - start, CHUNK_PAGES) * log.frameBytes);
  for (let page = start; page < pages; page += CHUNK_PAGES) {
    const wanted = chunk.subarray(0, Math.min(pages - page, CHUNK_PAGES) * log.frameBytes);
    if (readAt(fd, wanted, LOG_HEADER + page * log.frameBytes) < wanted.length) return false;
    for (let at = 0; at < wanted.length; at += log.frameBytes)
      if (!log.add(wanted.subarray(at, at + log.frameBytes))) return false;
  }
  return true;
}

/** Writes the bytes of a file from `start` to `end` to the same places and syncs it. */
export function rewrite(file: string, start = 0, end = Number.POSITIVE_INFINITY): void {
  const fd = openSync(file, 'r+');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = start, length = chunk.length; length === chunk.length; at += length) {
      const buffer = chunk.subarray(0, Math.min(chunk.length, end - at));
      length = readAt(fd, buffer, at);
      for (let written = 0; written < length; )
        written += writeSync(fd, buffer, written, length - written, at + written);
    }
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Fills a buffer. Returns the number of bytes, which is smaller than the buffer only at the end of the file. */
function readAt(fd: number, buffer: Buffer, at: number): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(fd, buffer, length, buffer.length - length, at + length);
  return length;
}

/** Verifies pages in their order. Each checksum covers all pages before it. */
class LogReader {
  readonly frameBytes: number;
  readonly #salts: Buffer;
  readonly #isLittleEndian: boolean;
  #sums: Sums;

  private constructor(header: Buffer, sums: Sums) {
    this.frameBytes = FRAME_HEADER + header.readUInt32BE(8);
    this.#salts = header.subarray(16, 24);
    this.#isLittleEndian = header.readUInt32BE(0) === LITTLE_ENDIAN;
    this.#sums = sums;
  }

  /** Returns null if the header is not valid or belongs to another log. */
  static of(header: Buffer, salts: Buffer): LogReader | null {
    const magic = header.readUInt32BE(0);
    if (magic !== LITTLE_ENDIAN && magic !== BIG_ENDIAN) return null;
    if (!salts.equals(header.subarray(16, 24))) return null;
    const sums = checksum(header, 0, CHECKED_LOG_HEADER, magic === LITTLE_ENDIAN, [0, 0]);
    return isSame(sums, sumsAt(header, 24)) ? new LogReader(header, sums) : null;
  }

  /** Continues after the pages of an earlier state. */
  skip({ checksum }: LogState): void {
    this.#sums = checksum;
  }

  /** Checksum after the last page. */
  get sums(): Sums {
    return this.#sums;
  }

  /** Returns false if the page is not complete or does not follow the page before. */
  add(frame: Buffer): boolean {
    const isLittle = this.#isLittleEndian;
    const head = checksum(frame, 0, CHECKED_FRAME_HEADER, isLittle, this.#sums);
    this.#sums = checksum(frame, FRAME_HEADER, frame.length, isLittle, head);
    return this.#salts.equals(frame.subarray(8, 16)) && isSame(this.#sums, sumsAt(frame, 16));
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

function sumsAt(bytes: Buffer, at: number): Sums {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

function isSame(sums: Sums, others: Sums): boolean {
  return sums[0] === others[0] && sums[1] === others[1];
}
