import { openSync, readSync, writeSync } from 'node:fs';

/** Number of bytes of the index that are read here. https://www.sqlite.org/walformat.html#the_wal_index_file_format */
const INDEX_BYTES = 100;
const VERSION = 3_007_000;
const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Description of the current write-ahead log, as SQLite keeps it in the index. */
export interface LogState {
  /** Number of pages that belong to the log. The file can contain older pages after them. */
  readonly pages: number;
  /** Number of these pages that checkpoints have copied to the database. */
  readonly copied: number;
  /** Checksum after the last page. */
  readonly checksum: readonly [number, number];
  readonly salts: Buffer;
  /** Size of a page in bytes. */
  readonly pageBytes: number;
}

/** The index of a write-ahead log, which is shared memory in a file. The caller must hold the write lock of the database. */
export class LogIndex {
  readonly #file: string;
  /** Closing the descriptor would release the locks that SQLite has on the file, so it stays open until the process ends. */
  #fd: number | null;

  /**
   * @param file the file, whose name ends with `-shm`.
   * @param fd descriptor of the file, if it is open.
   */
  constructor(file: string, fd: number | null = null) {
    this.#file = file;
    this.#fd = fd;
  }

  /** Descriptor of the file, which may be used in another thread. */
  get fd(): number {
    this.#fd ??= openSync(this.#file, 'r+');
    return this.#fd;
  }

  /** Throws if the index does not have the documented format. */
  read(): LogState {
    const bytes = Buffer.alloc(INDEX_BYTES);
    readSync(this.fd, bytes, 0, INDEX_BYTES, 0);
    const numberAt = (at: number) =>
      LITTLE_ENDIAN ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    if (numberAt(0) !== VERSION)
      throw new Error('the index of the write-ahead log has an unknown format');
    return {
      pages: numberAt(16),
      checksum: [numberAt(24), numberAt(28)],
      salts: bytes.subarray(32, 40),
      copied: numberAt(96),
      pageBytes: LITTLE_ENDIAN ? bytes.readUInt16LE(14) : bytes.readUInt16BE(14),
    };
  }

  /**
   * Sets the number of copied pages to zero, as SQLite does at a recovery. Readers keep what they have read so far, and find the newest
   * version of each page in the log.
   */
  forgetCopies(): void {
    this.setCopied(0);
  }

  /** Sets the number of copied pages. All of them must be in the database and on disk. */
  setCopied(pages: number): void {
    const bytes = new Uint8Array(new Uint32Array([pages]).buffer);
    writeSync(this.fd, bytes, 0, bytes.length, 96);
  }
}
