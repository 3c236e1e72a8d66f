import { invalidRequest } from '@gatehouse/contract';
import { releaseBytes } from '../../lib/memory/index.ts';
import type { FileWriter } from './original-writer.ts';

/** Maximum number of boundaries. More than a valid upload needs, so that the error can name an unknown part. */
const MAX_BOUNDARIES = 20;
const MAX_HEADER_BYTES = 8 * 1024;
/** Maximum bytes of a body without the contents of its files. */
const MAX_REST_BYTES = 1024 * 1024;
const HEADER_END = '\r\n\r\n';
const FILE_NAME = /;\s*filename\s*=/i;

/**
 * Separates the contents of files from the rest of a multipart body, which arrives in chunks. The rest is the body
 * without the contents of its files.
 *
 * - outside: in the preamble or in the content of a part that is not a file.
 *   A boundary → header.
 * - header: after a boundary.
 *   `--` → end. A blank line after a file name → file. A blank line → outside.
 * - file: in the content of a file, which is passed to the writer, or discarded for the second and later files.
 *   A boundary → header.
 * - end: final. Further bytes belong to the rest.
 */
export class MultipartSplitter {
  readonly #delimiter: Buffer;
  readonly #writer: FileWriter<unknown>;
  /** One growing buffer, because a body can arrive byte by byte. */
  #rest = Buffer.alloc(4096);
  #restBytes = 0;
  #state: 'outside' | 'header' | 'file' | 'end' = 'outside';
  /** Bytes that cannot be interpreted without the next chunk. The first boundary has no line break before it, so one is added. */
  #pending: Buffer = Buffer.from('\r\n');
  #boundaries = 0;
  #files = 0;

  constructor(boundary: string, writer: FileWriter<unknown>) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#writer = writer;
  }

  /** Number of files so far. */
  get files(): number {
    return this.#files;
  }

  /**
   * Returns `false` if the body has so many parts or such long part headers that Node's parser would take seconds. Throws 400 if
   * the parts without files are too large, and the errors of the writer.
   */
  async write(chunk: Uint8Array): Promise<boolean> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const all = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    let left = all;
    for (;;) {
      const used = this.#state === 'header' ? this.#readHeader(left) : await this.#read(left);
      if (used === 'invalid') return false;
      left = left.subarray(used);
      if (used === 0 || left.length === 0) break;
    }
    // Copied, because a view would retain the memory of the whole chunk.
    this.#pending = Buffer.from(left);
    if (all !== bytes) releaseBytes(all);
    return true;
  }

  /** Returns the body without the contents of its files, or null if it ended in a file or a header. */
  end(): Buffer<ArrayBuffer> | null {
    if (this.#state === 'header' || this.#state === 'file') return null;
    this.#keep(this.#pending);
    return this.#rest.subarray('\r\n'.length, this.#restBytes);
  }

  /** Reads content up to the next boundary. Returns the number of bytes read; 0 if more bytes are needed. */
  async #read(left: Buffer): Promise<number | 'invalid'> {
    const at = this.#state === 'end' ? -1 : left.indexOf(this.#delimiter);
    const tail = this.#state === 'end' ? 0 : this.#delimiter.length - 1;
    const end = at === -1 ? Math.max(0, left.length - tail) : at;
    const content = left.subarray(0, end);
    if (this.#state !== 'file') this.#keep(content);
    else if (this.#files === 1 && end > 0) await this.#writer.write(content);
    if (at === -1) return end;
    this.#boundaries++;
    if (this.#boundaries > MAX_BOUNDARIES) return 'invalid';
    this.#keep(this.#delimiter);
    this.#state = 'header';
    return at + this.#delimiter.length;
  }

  #readHeader(left: Buffer): number | 'invalid' {
    if (left.length < 2) return 0;
    if (left.toString('latin1', 0, 2) === '--') {
      this.#state = 'end';
      this.#keep(left);
      return left.length;
    }
    const at = left.indexOf(HEADER_END);
    if (at > MAX_HEADER_BYTES || (at === -1 && left.length > MAX_HEADER_BYTES)) return 'invalid';
    if (at === -1) return 0;
    const end = at + HEADER_END.length;
    this.#keep(left.subarray(0, end));
    const isFile = FILE_NAME.test(left.toString('utf8', 0, at));
    if (isFile) this.#files++;
    this.#state = isFile ? 'file' : 'outside';
    return end;
  }

  #keep(bytes: Buffer): void {
    const size = this.#restBytes + bytes.length;
    if (size > MAX_REST_BYTES)
      throw invalidRequest('knowledge', [
        `the parts without a file name must have at most ${MAX_REST_BYTES} bytes in total`,
      ]);
    if (size > this.#rest.length)
      this.#rest = Buffer.concat([this.#rest], Math.max(size, 2 * this.#rest.length));
    this.#rest.set(bytes, this.#restBytes);
    this.#restBytes = size;
  }
}
