import { isUtf8 } from 'node:buffer';

/** Properties of a file's bytes that determine its format. */
export interface FileTraits {
  readonly size: number;
  /** The first kilobyte, in which PDF viewers look for the signature. */
  readonly start: Buffer;
  readonly hasNul: boolean;
  readonly isUtf8: boolean;
}

const START_BYTES = 1024;

export function traitsOf(bytes: Uint8Array): FileTraits {
  const reader = new TraitsReader();
  reader.read(bytes);
  return reader.traits();
}

/** Determines the traits of a file that is read in chunks. */
export class TraitsReader {
  #size = 0;
  #start: Buffer = Buffer.alloc(0);
  #hasNul = false;
  #isUtf8 = true;
  /** The bytes of an incomplete character at the end of the previous chunk. */
  #incomplete: Uint8Array = new Uint8Array(0);

  get size(): number {
    return this.#size;
  }

  read(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#start.length < START_BYTES) {
      const missing = chunk.subarray(0, START_BYTES - this.#start.length);
      this.#start = Buffer.concat([this.#start, missing]);
    }
    this.#hasNul ||= chunk.includes(0);
    if (this.#isUtf8) this.#readCharacters(chunk);
  }

  traits(): FileTraits {
    return {
      size: this.#size,
      start: this.#start,
      hasNul: this.#hasNul,
      isUtf8: this.#isUtf8 && this.#incomplete.length === 0,
    };
  }

  #readCharacters(chunk: Uint8Array): void {
    const bytes = this.#incomplete.length === 0 ? chunk : Buffer.concat([this.#incomplete, chunk]);
    const end = bytes.length - incompleteBytes(bytes);
    this.#isUtf8 = isUtf8(bytes.subarray(0, end));
    this.#incomplete = new Uint8Array(bytes.subarray(end));
  }
}

/** Returns the number of bytes at the end that are the beginning of a UTF-8 character. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (!isContinuation) return back < lengthOfCharacter(byte) ? back : 0;
  }
  return 0;
}

/** @param first the first byte of a UTF-8 character. */
function lengthOfCharacter(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
