import { createHash } from 'node:crypto';
import { MAX_DOCUMENT_BYTES } from '@gatehouse/contract';
import { releaseBytes } from '../../lib/memory/index.ts';
import type { DocumentKey } from '../../storage/ports/index.ts';
import { tooLarge } from '../documents/document.errors.ts';
import { PART_BYTES } from '../documents/document-parts.repository.ts';
import type { Content } from './content.ts';
import { type FileTraits, TraitsReader } from './file-traits.ts';
import type { StagedOriginals } from './staged-original.repository.ts';

export interface ReceivedFile {
  readonly content: Content;
  readonly traits: FileTraits;
}

/** Receives a file in chunks of any size. */
export interface FileWriter<Received = ReceivedFile> {
  /** Resolves when the next chunk can be written. The caller may then reuse the memory of the chunk. Throws 413. */
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<Received>;
}

const FIRST_CAPACITY = 64 * 1024;
const TEXT_SLICE = 64 * 1024;

/**
 * Receives one original. Holds at most one part in memory. An original of one part stays in memory; larger originals are staged
 * in the store. Disposal discards a staged original that no document has claimed.
 *
 * @example
 * await using writer = new OriginalWriter(staged, spaceId);
 * for await (const chunk of chunks) await writer.write(chunk);
 * const { content, traits } = await writer.finish();
 */
export class OriginalWriter implements FileWriter, AsyncDisposable {
  readonly #staged: StagedOriginals;
  readonly #spaceId: string;
  readonly #hash = createHash('sha256');
  readonly #traits = new TraitsReader();
  /** The current part. It is reused after each write, because memory of discarded buffers is freed late. */
  #part = Buffer.alloc(0);
  #length = 0;
  /** Number of stored parts. */
  #stored = 0;
  #document: DocumentKey | null = null;

  constructor(staged: StagedOriginals, spaceId: string) {
    this.#staged = staged;
    this.#spaceId = spaceId;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#traits.size + chunk.length > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
    this.#traits.read(chunk);
    for (let at = 0; at < chunk.length; ) {
      if (this.#length === PART_BYTES) await this.#store();
      const next = chunk.subarray(at, at + PART_BYTES - this.#length);
      this.#reserve(this.#length + next.length);
      this.#part.set(next, this.#length);
      this.#length += next.length;
      at += next.length;
    }
  }

  /** Writes a well-formed text as UTF-8, without encoding it as a whole. */
  async writeText(text: string): Promise<void> {
    for (let at = 0; at < text.length; ) {
      const end = at + TEXT_SLICE;
      const isSplit = isHighSurrogate(text.charCodeAt(end - 1));
      const to = isSplit ? end - 1 : end;
      const bytes = Buffer.from(text.slice(at, to));
      await this.write(bytes);
      releaseBytes(bytes);
      at = to;
    }
  }

  async finish(): Promise<ReceivedFile> {
    const traits = this.#traits.traits();
    if (this.#document === null)
      return { content: new Uint8Array(this.#part.subarray(0, this.#length)), traits };
    await this.#store();
    const sha256 = this.#hash.digest('hex');
    return { content: { ...this.#document, size: traits.size, sha256 }, traits };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const document = this.#document;
    this.#document = null;
    // If the store fails, the indexer removes the original later.
    if (document !== null) await this.#staged.discard(document).catch(() => {});
  }

  async #store(): Promise<void> {
    this.#document ??= await this.#staged.begin(this.#spaceId);
    const isFull = this.#length === this.#part.length;
    // Sending a view to another thread would send the whole buffer.
    const bytes = isFull ? this.#part : new Uint8Array(this.#part.subarray(0, this.#length));
    this.#hash.update(bytes);
    await this.#staged.addPart(this.#document, this.#stored, bytes);
    this.#stored++;
    this.#length = 0;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#part.length) return;
    let capacity = Math.max(FIRST_CAPACITY, this.#part.length);
    while (capacity < bytes) capacity *= 2;
    // Does not use the pool of small buffers, because the buffer is sent to another thread.
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.#part.subarray(0, this.#length));
    this.#part = larger;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
